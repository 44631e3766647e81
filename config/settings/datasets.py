"""Settings of the data set area. Source: docs/reference/data-sets.md §19."""

from config import env_values
from config.env import env
from config.settings.base import VAR

_ONE, _NOTHING = env_values.at_least(1), env_values.at_least(0)

DATASETS_MAX_BODY_BYTES = env.int("DATASETS_MAX_BODY_BYTES", 64 * 1024 * 1024, validate=_ONE)
DATASETS_DEFAULT_LIMIT = env.int("DATASETS_DEFAULT_LIMIT", 1000, validate=_ONE)
DATASETS_MAX_LIMIT = env.int("DATASETS_MAX_LIMIT", 10_000, validate=_ONE)
DATASETS_MAX_ROWS = env.int("DATASETS_MAX_ROWS", 10_000, validate=_ONE)
DATASETS_IDEMPOTENCY_HOURS = env.int("DATASETS_IDEMPOTENCY_HOURS", 24, validate=env_values.between(1, 8760))
DATASETS_ROTATION_DAYS = env.int("DATASETS_ROTATION_DAYS", 7, validate=env_values.between(0, 365))
DATASETS_CACHE_SECONDS = env.int("DATASETS_CACHE_SECONDS", 1800, validate=_NOTHING)
DATASETS_REALTIME_CACHE_SECONDS = env.int("DATASETS_REALTIME_CACHE_SECONDS", 120, validate=_NOTHING)
# Column files. Source: docs/reference/column-files.md.
COLUMNS = env.str("COLUMNS", "on", validate=env_values.on_off_or_width).lower() != "off"
COLUMNS_FROM_RECORDS = env.int("COLUMNS_FROM_RECORDS", 200_000, validate=_ONE)  # of a data set
COLUMNS_READ_FROM_RECORDS = env.int("COLUMNS_READ_FROM_RECORDS", 50_000, validate=_NOTHING)  # in the range of a query
COLUMNS_SEGMENT_RECORDS = env.int("COLUMNS_SEGMENT_RECORDS", 250_000, validate=_ONE)
COLUMNS_CACHE_DIR = env.path("COLUMNS_CACHE_DIR", VAR / "columns-cache")
COLUMNS_CACHE_MB = env.int("COLUMNS_CACHE_MB", 10_000, validate=_ONE)
QUERY_MEMORY_MB = env.int("QUERY_MEMORY_MB", 512, validate=env_values.at_least(256))
QUERY_PROCESSES = env.int("QUERY_PROCESSES", 1, validate=_ONE)  # of each web process
# Imports. Source: docs/reference/imports.md.
IMPORT_MAX_BYTES = env.int("IMPORT_MAX_BYTES", 1024**3, validate=_ONE)  # as sent, and after decompression
IMPORT_WORK_DIR = env.path("IMPORT_WORK_DIR", VAR / "imports")
# Emails of alarms without the sending area. Source: docs/reference/alarms.md §4.
ALARM_MAIL_URL = env.str("ALARM_MAIL_URL", "", validate=env_values.mail_server_or_blank)
ALARM_MAIL_FROM = env.str("ALARM_MAIL_FROM", "", validate=env_values.email_address_or_blank)

if ALARM_MAIL_URL and not ALARM_MAIL_FROM:
    raise ValueError("ALARM_MAIL_URL needs ALARM_MAIL_FROM, the email address that alarms come from")
if DATASETS_DEFAULT_LIMIT > DATASETS_MAX_LIMIT:
    raise ValueError("DATASETS_DEFAULT_LIMIT must not be above DATASETS_MAX_LIMIT")
