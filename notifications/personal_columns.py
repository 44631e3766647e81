"""What the erasure of a person does with the columns of the sending area. Source: docs/reference/erasing.md §3."""

from config.personal_columns import Columns, PersonalColumns

COLUMNS = PersonalColumns(
    {
        "notifications.ApiCallError": Columns(nothing="kind slug request_id"),
        "notifications.ApiKey": Columns(
            text="note",
            staff="created_by revoked_by",
            nothing="name encrypted_secret last4 last_client",
            service="service",
        ),
        "notifications.Attachment": Columns(
            own="encrypted_name key_check email_tag",
            text="withdrawn_why",
            staff="withdrawn_by",
            nothing="storage_name extension",
            service="service",
        ),
        "notifications.BulkRow": Columns(
            own="normalised_recipient",
            text="recipient cells reference errors",
            nothing="time_zone",
            service="bulk_send__service",
        ),
        "notifications.BulkSend": Columns(
            text="name check_result",
            reported="names",
            staff="created_by",
            nothing="request_id service_name table_hash holder language",
            service="service",
        ),
        "notifications.BulkTable": Columns(
            text="sample error",
            reported="names unformatted",
            nothing="read_as choice fingerprint",
            service="bulk_send__service",
        ),
        "notifications.BulkTablePart": Columns(own="data"),
        "notifications.CallbackDelivery": Columns(text="attempts", nothing="event", service="endpoint__service"),
        "notifications.CallbackEndpoint": Columns(
            reported="url name",
            staff="created_by paused_by",
            nothing="encrypted_bearer_token encrypted_signing_secret encrypted_old_signing_secret events data_sets",
            service="service",
        ),
        "notifications.ClientTries": Columns(nothing="tag"),
        "notifications.DataSetEvent": Columns(nothing="name path state"),
        "notifications.EarlyReceipt": Columns(text="code reference", nothing="provider outcome"),
        "notifications.EmailForward": Columns(staff="created_by", service="email__service"),
        "notifications.Fallback": Columns(
            own="recipient_hash", encrypted="encrypted_content", service="message__service"
        ),
        "notifications.GoLiveRequest": Columns(
            text="purpose answer", staff="created_by answered_by", service="service"
        ),
        "notifications.GuestListEntry": Columns(
            own="value normalised", text="note", staff="created_by", service="service"
        ),
        "notifications.IdempotencyRecord": Columns(
            own="key", text="answer", nothing="fingerprint", service="api_key__service"
        ),
        "notifications.Notification": Columns(
            own="recipient normalised_recipient encrypted_outgoing",
            text="reference subject body one_click_unsubscribe_url attempts receipts",
            staff="created_by",
            nothing="request_id provider provider_reference language",
            service="service",
        ),
        "notifications.LimitChange": Columns(text="reason", staff="created_by", service="service"),
        "notifications.OpenBreaker": Columns(nothing="provider holder"),
        "notifications.ProtectedName": Columns(staff="created_by", nothing="name likeness"),
        "notifications.ProviderCircuit": Columns(text="reason", nothing="provider"),
        "notifications.ProviderCount": Columns(nothing="provider"),
        "notifications.ProviderResult": Columns(text="error", nothing="provider"),
        "notifications.RateSlot": Columns(nothing="key_type"),
        "notifications.ReceivedText": Columns(
            own="user_number", text="content", nothing="notify_number", service="service"
        ),
        "notifications.ReceivedEmail": Columns(
            own="sender normalised_sender", encrypted="encrypted_content", nothing="content_hash", service="service"
        ),
        "notifications.RecipientHashKey": Columns(nothing="encrypted_key"),
        "notifications.RepeatGuard": Columns(nothing="content_hash"),
        "notifications.ReplyToAddress": Columns(
            reported="email_address", staff="created_by confirmed_by", service="service"
        ),
        "notifications.SandboxMessage": Columns(encrypted="encrypted_content"),
        "notifications.SendingPause": Columns(text="reason", staff="by ended_by", nothing="name"),
        "notifications.LogExportPart": Columns(own="storage_name", nothing="last"),
        "notifications.LogExport": Columns(text="query"),
        "notifications.RequestCallback": Columns(
            text="url", nothing="encrypted_bearer_token", service="notification__service"
        ),
        "notifications.Service": Columns(
            reported="file_contact", staff="created_by", nothing="name permissions time_zone quiet_hours", service="pk"
        ),
        "notifications.SmsSender": Columns(reported="sender", staff="created_by", service="service"),
        "notifications.Suppression": Columns(
            own="recipient normalised_recipient",
            text="note lift_reason",
            staff="created_by lifted_by",
            service="service",
        ),
        "notifications.TeamMember": Columns(
            reported="email_address phone_number normalised_email normalised_phone",
            staff="created_by",
            nothing="roles",
            service="service",
        ),
        "notifications.Template": Columns(
            text="samples", reported="name fixed_files", staff="created_by", service="service"
        ),
        # Fixed files belong to the service, and are the same for every recipient.
        "notifications.TemplateFile": Columns(nothing="encrypted_content"),
        "notifications.TemplateTag": Columns(nothing="name"),
        "notifications.TemplateUse": Columns(nothing="names_sent names_hash language"),
        "notifications.TemplateVersion": Columns(
            reported="name subject content translations breaks_without",
            text="note defaults",
            staff="created_by",
            nothing="language",
            service="template__service",
        ),
        "notifications.TextPart": Columns(own="sender", text="content", nothing="provider recipient"),
        "notifications.UnsubscribeProbe": Columns(text="sentence", staff="created_by", nothing="origin"),
        "notifications.UnsubscribeRequest": Columns(own="recipient", staff="done_by", service="service"),
    }
)
