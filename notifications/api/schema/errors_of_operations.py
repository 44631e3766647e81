"""List the errors of each operation in the order of its checks, and all errors by subject."""

from notifications import errors

_AUTHENTICATION = (
    *(errors.TokenMissing, errors.BearerSchemeMissing, errors.TokenInvalid, errors.IssuerMissing, errors.IssuerNotUuid),
    *(errors.ServiceNotFound, errors.ServiceHasNoKeys, errors.ServiceArchived, errors.AlgorithmNotAllowed),
    *(errors.KeyNotFound, errors.WholeKeyTooShort, errors.ClockSkewed, errors.KeyRevoked),
    *(errors.KeyNetworkNotAllowed, errors.UseHttps),
)
_FAILURES = (errors.InternalError, errors.ApiKeysUnreadable, errors.Unavailable)
_BODY = (
    *(errors.UnsupportedContentType, errors.UnsupportedContentEncoding, errors.LengthRequired, errors.PayloadTooLarge),
    *(errors.TooManyValues, errors.InvalidJson),
)
_IDEMPOTENCY = (errors.IdempotencyKeyMalformed, errors.IdempotencyKeyReused, errors.IdempotencyKeyInUse)
_SCHEDULED_FOR = (errors.ScheduledForFormat, errors.ScheduledForPast, errors.ScheduledForTooFar)
_SHAPE = (
    *(errors.PropertyMissing, errors.PropertiesUnexpected, errors.WrongType, errors.NotAUuid, errors.ReferenceTooLong),
    *(errors.TemplateVersionInvalid, errors.LanguageInvalid, errors.TooManyItems, *_SCHEDULED_FOR),
)
_CALLBACK = (errors.CallbackIncomplete, errors.CallbackUrlInvalid, errors.CallbackTokenInvalid)
_MOVE = (errors.PropertyMissing, errors.PropertiesUnexpected, errors.WrongType, *_SCHEDULED_FOR)
_EMAIL_SHAPE = (errors.EmailAddressInvalid, errors.UnsubscribeUrlInvalid, errors.UnsubscribeUrlTooLong)
_PHONE_NUMBER = (
    *(errors.TooManyDigits, errors.NotEnoughDigits, errors.NotAUkMobile, errors.LettersOrSymbols),
    *(errors.CountryPrefixUnknown, errors.PhoneNumberInvalid),
)
_TEMPLATE = (
    *(errors.VersionForTestKeysOnly, errors.TemplateNotFound, errors.TemplateOfOtherType, errors.TemplateArchived),
    *(errors.TemplateHasNoDraft, errors.TemplateVersionNotFound, errors.KeyTemplateNotAllowed),
)
_RECIPIENT = (errors.MessageEmpty, errors.NotOnTeam, errors.ServiceInTrial, errors.RecipientSuppressed)
_SMS_RULES = (
    *(errors.TextMessagesNotAllowed, errors.FileInTextMessage, errors.SmsSenderNotFound),
    *(errors.InternationalNotAllowed, errors.TextMessageTooLong, errors.FallbackRejected),
)
_EMAIL_RULES = (errors.EmailsNotAllowed, errors.ReplyToNotFound, errors.EmailTooLong, errors.EmailTooLargeToShow)
_FILES = (
    *(errors.FileOptionNotBoolean, errors.FileRetentionUnsupported, errors.FileNameWithoutExtension),
    *(errors.FileCsvAndName, errors.FilesNotSetUp, errors.TooManyFiles, errors.NotBase64, errors.NameTooLong),
    *(errors.NameForbidden, errors.TypeNotSupported, errors.NameDoesNotFit, errors.FileTooLarge, errors.FileEmpty),
    errors.FileInfected,
)

_BULK_SHAPE = (
    *(errors.BulkNameTooLong, errors.TableOfWrongType, errors.BulkScheduledForPast, errors.BulkScheduledForTooFar),
    *(errors.RowsOrCsv,),
)
_TABLE = (
    *(errors.TableUnreadable, errors.TooManyColumns, errors.MissingColumns, errors.DuplicateRecipientColumns),
    *(errors.NoRows, errors.TooFewMessagesLeft, errors.TooManyRows, errors.RecipientsNotAllowed, errors.RowTooLong),
    errors.RowsInvalid,
)
_BULK_STATES = (errors.BulkSendFinished, errors.BulkSendNotScheduled, errors.NothingToRetry)
_BULK_RULES = (
    *(errors.TemplateNotFound, errors.TemplateArchived, errors.TextMessagesNotAllowed, errors.EmailsNotAllowed),
    *(errors.SmsSenderNotFound, errors.ReplyToNotFound, errors.DailyLimitReached, errors.KeyDailyLimitReached),
    errors.KeyTemplateNotAllowed,
)

_RECIPIENT_SHAPE = (
    *(errors.PropertiesUnexpected, errors.WrongType, errors.EmailAddressInvalid, *_PHONE_NUMBER),
    errors.OneRecipient,
)

_SENDING = (
    *_AUTHENTICATION,
    errors.RateLimited,
    errors.NotOneOf,
    *_IDEMPOTENCY,
    errors.DailyLimitReached,
    errors.KeyDailyLimitReached,
    *_BODY,
    *_SHAPE,
)
_RULES = (*_TEMPLATE, errors.PersonalisationMissing)
_READING = (*_AUTHENTICATION, *_FAILURES)
_CHANGED_TEMPLATE = (
    *(errors.TemplatesNotManaged, *_BODY, errors.PropertyMissing, errors.PropertiesUnexpected, errors.WrongType),
    *(errors.NotOneOf, errors.TextPropertyTooLong, errors.TemplateInvalid, *_FILES),
)
_ONE = (*_AUTHENTICATION, errors.NotAUuid, errors.NoResultFound, *_FAILURES)
_PAGES = (*_READING, errors.NotAUuid, errors.PropertiesUnexpected)

BY_OPERATION = {
    "sendTextMessage": (
        *(*_SENDING, *_PHONE_NUMBER, *_CALLBACK, errors.FallbackEmailAddressInvalid),
        *(*_RULES, *_SMS_RULES, *_RECIPIENT, *_FAILURES),
    ),
    "sendEmail": (*_SENDING, *_EMAIL_SHAPE, *_CALLBACK, *_RULES, *_EMAIL_RULES, *_RECIPIENT, *_FAILURES),
    "sendBulk": (
        *(*_AUTHENTICATION, errors.RateLimited, *_IDEMPOTENCY, *_BODY, errors.PropertyMissing),
        *(errors.PropertiesUnexpected, errors.WrongType, errors.NotAUuid, errors.ReferenceTooLong),
        *(
            errors.NotOneOf,
            errors.LanguageInvalid,
            errors.TemplateHasFiles,
            errors.ScheduledForFormat,
            *_BULK_SHAPE,
            *_BULK_RULES,
            *_TABLE,
            *_FAILURES,
        ),
    ),
    "listBulkSends": (*_PAGES, errors.NotOneOf),
    "readBulkSend": _ONE,
    "listBulkRows": (*_ONE, errors.NotOneOf, errors.WrongType, errors.PropertiesUnexpected),
    "moveBulkSend": (
        *(*_ONE, *_BODY, errors.PropertyMissing, errors.PropertiesUnexpected, errors.WrongType),
        *(errors.ScheduledForFormat, errors.BulkScheduledForPast, errors.BulkScheduledForTooFar),
        *(errors.BulkSendFinished, errors.BulkSendNotScheduled),
    ),
    "pauseBulkSend": (*_ONE, errors.BulkSendFinished),
    "resumeBulkSend": (*_ONE, errors.BulkSendFinished),
    "cancelBulkSend": (*_ONE, errors.BulkSendFinished),
    "retryFailedMessages": (*_ONE, errors.NothingToRetry, *_BULK_RULES, *_TABLE),
    "readApiKey": _READING,
    "readMessage": _ONE,
    "listMessages": (*_READING, errors.NotOneOf, errors.NotAUuid, errors.PropertiesUnexpected),
    "listScheduledMessages": (*_READING, errors.NotOneOf, errors.NotAUuid, errors.PropertiesUnexpected),
    "moveScheduledMessage": (*_ONE, *_BODY, *_MOVE, errors.NotScheduled),
    "cancelScheduledMessage": (*_ONE, errors.NotScheduled),
    "listTemplates": (*_READING, errors.NotOneOf, errors.PropertiesUnexpected),
    "createTemplate": (*_READING, *_CHANGED_TEMPLATE),
    "readManagedTemplate": (*_ONE, errors.TemplatesNotManaged),
    "readTemplateFile": (*_ONE, errors.TemplatesNotManaged),
    "changeTemplate": (*_ONE, *_CHANGED_TEMPLATE, errors.TemplateBreaksCalls),
    "readTemplate": _ONE,
    "readTemplateVersion": _ONE,
    "previewTemplate": (
        *(*_ONE, *_BODY, errors.WrongType, errors.LanguageInvalid, errors.PersonalisationMissing),
        errors.EmailTooLargeToShow,
    ),
    "listReceivedTexts": _PAGES,
    "listUnsubscribeRequests": _PAGES,
    "listSuppressions": (*_PAGES, errors.NotOneOf),
    "addSuppression": (
        *(*_READING, errors.SuppressionsReadOnly, *_BODY, *_RECIPIENT_SHAPE, errors.TextPropertyTooLong),
        *(errors.ExpiresAtFormat, errors.ExpiresAtPast),
    ),
    "findSuppressions": (*_READING, *_BODY, *_RECIPIENT_SHAPE),
    "readSuppression": _ONE,
    "liftSuppression": (
        *(*_ONE, errors.SuppressionsReadOnly, errors.PropertiesUnexpected, errors.TextPropertyTooLong),
    ),
}
FAMILIES = {
    "Authentication": _AUTHENTICATION,
    "The request": (
        *(errors.UrlNotFound, errors.MethodNotAllowed, errors.RequestNotUnderstood),
        *(*_BODY, *_IDEMPOTENCY),
    ),
    "Limits": (errors.RateLimited, errors.DailyLimitReached, errors.KeyDailyLimitReached),
    "Delivery receipts": (
        *(errors.ReceiptCredentialsMissing, errors.ReceiptCredentialsWrong, errors.ReceiptUnreadable),
    ),
    "Fields and parameters": (
        *(
            *_SHAPE,
            *_EMAIL_SHAPE,
            *_CALLBACK,
            errors.FallbackEmailAddressInvalid,
            errors.NotOneOf,
            errors.NoResultFound,
        ),
        errors.NotScheduled,
    ),
    "Phone numbers": _PHONE_NUMBER,
    "Templates and values": _RULES,
    "Changing templates": (errors.TemplatesNotManaged, errors.TemplateInvalid, errors.TemplateBreaksCalls),
    "Messages and recipients": (*_RECIPIENT, *_SMS_RULES, *_EMAIL_RULES),
    "Bulk sending": (*_BULK_SHAPE, errors.TemplateHasFiles, *_TABLE, *_BULK_STATES),
    "Suppressions": (
        *(errors.OneRecipient, errors.TextPropertyTooLong, errors.ExpiresAtFormat, errors.ExpiresAtPast),
        errors.SuppressionsReadOnly,
    ),
    "Files": _FILES,
    "Sandbox inbox": (
        *(errors.SandboxSignInMissing, errors.SandboxOperatorsAlone, errors.SandboxParameterInvalid),
        *(errors.SandboxClockRefused, errors.SandboxReleaseRefused, errors.SandboxHookUnreachable),
    ),
    "Failures": _FAILURES,
}
