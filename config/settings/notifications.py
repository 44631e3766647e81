"""Settings of the sending area. Source: docs/reference/sending-api.md §1; .env.example."""

from decimal import Decimal

from config import env_values
from config.env import env, environment
from config.settings.base import BASE_URL

_ONE, _NOTHING = env_values.at_least(1), env_values.at_least(0)
_HOURS = env_values.between(1, 720)

_LEAST_BYTES = 64 * 1024  # the longest message with its personalisation must fit

_ENTRIES = [entry.strip() for entry in env.list("PROVIDERS", ["sandbox"])]
PROVIDERS = ["sandbox" if entry == "sandbox=sandbox" else entry for entry in _ENTRIES]
REQUEST_MAX_BYTES = env.int("REQUEST_MAX_BYTES", 16 * 1024 * 1024, validate=env_values.at_least(_LEAST_BYTES))
BULK_MAX_ROWS = env.int("BULK_MAX_ROWS", 100_000, validate=_ONE)
BULK_MAX_BYTES = env.int("BULK_MAX_BYTES", 32 * 1024 * 1024, validate=env_values.at_least(_LEAST_BYTES))
BULK_SCHEDULE_HOURS = env.int("BULK_SCHEDULE_HOURS", 168, validate=_HOURS)
EMAIL_DOMAIN = env.str("EMAIL_DOMAIN", "signalbox.invalid", validate=env_values.domain)
BOUNCE_EMAIL_ADDRESS = env.str("BOUNCE_EMAIL_ADDRESS", "", validate=env_values.email_address_or_blank)
RETURNED_EMAIL_IMAP_URL = env.str("RETURNED_EMAIL_IMAP_URL", "")
DEFAULT_SMS_SENDER = env.str("DEFAULT_SMS_SENDER", "SIGNALBOX")
RATE_LIMIT_PER_MINUTE = env.int("RATE_LIMIT_PER_MINUTE", 3000, validate=_ONE)
DAILY_LIMIT_EMAIL = env.int("DAILY_LIMIT_EMAIL", 250_000, validate=_NOTHING)
DAILY_LIMIT_SMS = env.int("DAILY_LIMIT_SMS", 250_000, validate=_NOTHING)
DAILY_LIMIT_INTERNATIONAL_SMS = env.int("DAILY_LIMIT_INTERNATIONAL_SMS", 100, validate=_NOTHING)
DAILY_LIMIT_TRIAL = env.int("DAILY_LIMIT_TRIAL", 50, validate=_NOTHING)
TRIAL_MODE_URL = env.str("TRIAL_MODE_URL", f"{BASE_URL}/docs/#trial-mode", validate=env_values.url)
SIMULATED_EMAIL_DOMAIN = env.str("SIMULATED_EMAIL_DOMAIN", "notifications.service.gov.uk", validate=env_values.domain)
SMS_RATE = env.decimal("SMS_RATE", Decimal(0), validate=_NOTHING)
SMS_PRICE_TABLE = env.str("SMS_PRICE_TABLE", "")
EMAIL_UNLINKED_NAMES: list[str] = env.list("EMAIL_UNLINKED_NAMES", [])
PROVISION_AUTHOR = env.str("PROVISION_AUTHOR", "provision@signalbox.invalid")
GIVE_UP_HOURS = {  # by channel
    "sms": env.int("GIVE_UP_SMS_HOURS", 4, validate=_HOURS),
    "email": env.int("GIVE_UP_EMAIL_HOURS", 72, validate=_HOURS),
}
GUEST_LIST_MAX = env.int("GUEST_LIST_MAX", 0, validate=_NOTHING)
SELF_GO_LIVE = env.bool("SELF_GO_LIVE", True)
SANDBOX_INBOX = env.bool("SANDBOX_INBOX", True)
SANDBOX_TOKEN = env.str("SANDBOX_TOKEN", "")
OUTBOUND_ALLOWED_NETWORKS = env.list(
    "OUTBOUND_ALLOWED_NETWORKS",
    [] if environment() == "production" else ["127.0.0.0/8", "::1/128"],
    validate=env_values.networks,
)
DELIVERY_CLAIM_SECONDS = 40  # longer than CELERY_TASK_TIME_LIMIT, so a claim outlives its task
