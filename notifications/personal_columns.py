"""What the erasure of a person does with the columns of the sending area. Source: docs/reference/erasing.md §3."""

from config.personal_columns import PersonalColumns, TextColumns

COLUMNS = PersonalColumns(
    {
        "notifications.ApiCallError": TextColumns(nothing="kind slug request_id"),
        "notifications.ApiKey": TextColumns(
            text="note",
            staff="created_by revoked_by",
            nothing="name encrypted_secret last4 last_client allowed_networks allowed_templates",
            service="service",
        ),
        "notifications.Attachment": TextColumns(
            own="encrypted_name key_check email_tag",
            text="withdrawn_why",
            staff="withdrawn_by",
            nothing="storage_name extension",
            service="service",
        ),
        "notifications.BulkRow": TextColumns(
            own="normalised_recipient",
            text="recipient cells reference errors",
            nothing="time_zone",
            service="bulk_send__service",
        ),
        "notifications.BulkSend": TextColumns(
            text="name check_result",
            reported="names",
            staff="created_by",
            nothing="request_id service_name table_hash holder language",
            service="service",
        ),
        "notifications.BulkTable": TextColumns(
            text="sample error",
            reported="names unformatted",
            nothing="read_as choice fingerprint",
            service="bulk_send__service",
        ),
        "notifications.BulkTablePart": TextColumns(own="data"),
        "notifications.CallbackDelivery": TextColumns(text="attempts", nothing="event", service="endpoint__service"),
        "notifications.CallbackEndpoint": TextColumns(
            reported="url name",
            staff="created_by paused_by",
            nothing="encrypted_bearer_token encrypted_signing_secret encrypted_old_signing_secret events data_sets",
            service="service",
        ),
        "notifications.ClientTries": TextColumns(nothing="tag"),
        "notifications.DataSetEvent": TextColumns(nothing="name path state details"),
        "notifications.EarlyReceipt": TextColumns(text="code reference", nothing="provider outcome"),
        "notifications.EmailForward": TextColumns(staff="created_by", service="email__service"),
        "notifications.EndpointCalls": TextColumns(nothing="endpoint"),
        "notifications.Fallback": TextColumns(
            own="recipient_hash", encrypted="encrypted_content", service="message__service"
        ),
        "notifications.GoLiveRequest": TextColumns(
            text="purpose answer", staff="created_by answered_by", service="service"
        ),
        "notifications.GuestListEntry": TextColumns(
            own="value normalised", text="note", staff="created_by", service="service"
        ),
        "notifications.HourlyCalls": TextColumns(nothing="name"),
        "notifications.HourlyCount": TextColumns(nothing="provider times deleted_times reasons deleted_reasons"),
        "notifications.IdempotencyRecord": TextColumns(
            own="key", text="answer", nothing="fingerprint", service="api_key__service"
        ),
        "notifications.Notification": TextColumns(
            own="recipient normalised_recipient encrypted_outgoing",
            text="reference subject body one_click_unsubscribe_url attempts receipts",
            staff="created_by",
            nothing="request_id provider provider_reference language",
            service="service",
        ),
        "notifications.LimitChange": TextColumns(text="reason", staff="created_by", service="service"),
        "notifications.OpenBreaker": TextColumns(nothing="provider holder"),
        "notifications.ProtectedName": TextColumns(staff="created_by", nothing="name likeness"),
        "notifications.ProviderCircuit": TextColumns(text="reason", nothing="provider"),
        "notifications.ProviderCount": TextColumns(nothing="provider"),
        "notifications.ProviderResult": TextColumns(text="error", nothing="provider"),
        "notifications.RateSlot": TextColumns(nothing="key_type"),
        "notifications.ReceivedText": TextColumns(
            own="user_number", text="content", nothing="notify_number", service="service"
        ),
        "notifications.ReceivedEmail": TextColumns(
            own="sender normalised_sender", encrypted="encrypted_content", nothing="content_hash", service="service"
        ),
        "notifications.RecipientHashKey": TextColumns(nothing="encrypted_key"),
        "notifications.RepeatGuard": TextColumns(nothing="content_hash"),
        "notifications.ReplyToAddress": TextColumns(
            reported="email_address", staff="created_by confirmed_by", service="service"
        ),
        "notifications.SandboxEvent": TextColumns(text="reply"),
        "notifications.SandboxHook": TextColumns(nothing="name"),
        "notifications.SandboxHookCall": TextColumns(encrypted="encrypted_content", nothing="method"),
        "notifications.SandboxMessage": TextColumns(encrypted="encrypted_content"),
        "notifications.SandboxRule": TextColumns(text="recipient reply"),
        "notifications.SendingPause": TextColumns(text="reason", staff="by ended_by", nothing="name"),
        "notifications.LogExportPart": TextColumns(own="storage_name", nothing="last"),
        "notifications.LogExport": TextColumns(text="query"),
        "notifications.RequestCallback": TextColumns(
            text="url", nothing="encrypted_bearer_token", service="notification__service"
        ),
        "notifications.Service": TextColumns(
            reported="file_contact", staff="created_by", nothing="name permissions time_zone quiet_hours", service="pk"
        ),
        "notifications.SmsSender": TextColumns(reported="sender", staff="created_by", service="service"),
        "notifications.Suppression": TextColumns(
            own="recipient normalised_recipient",
            text="note lift_reason",
            staff="created_by lifted_by",
            service="service",
        ),
        "notifications.TeamMember": TextColumns(
            reported="email_address phone_number normalised_email normalised_phone",
            staff="created_by",
            nothing="roles",
            service="service",
        ),
        "notifications.Template": TextColumns(
            text="samples", reported="name fixed_files", staff="created_by", service="service"
        ),
        # Fixed files belong to the service, and are the same for every recipient.
        "notifications.TemplateFile": TextColumns(nothing="encrypted_content"),
        "notifications.TemplateTag": TextColumns(nothing="name"),
        "notifications.TemplateUse": TextColumns(nothing="names_sent names_hash language"),
        "notifications.TemplateVersion": TextColumns(
            reported="name subject content translations breaks_without",
            text="note defaults",
            staff="created_by",
            nothing="language",
            service="template__service",
        ),
        "notifications.TextPart": TextColumns(own="sender", text="content", nothing="provider recipient"),
        "notifications.UnsubscribeProbe": TextColumns(text="sentence", staff="created_by", nothing="origin"),
        "notifications.UnsubscribeRequest": TextColumns(own="recipient", staff="done_by", service="service"),
    }
)
