"""Basic settings: URLs, applications, database and static files."""

from urllib.parse import urlsplit

import dj_database_url

from config import env_values
from config.env import ROOT, env, environment, private_folder, secret

ENVIRONMENT = environment()
VAR = private_folder(env.path("VAR_DIR", ROOT / "var"))

DEBUG = False
SECRET_KEY = secret("SECRET_KEY")
_FORMER_KEYS: list[str] = env.list("SECRET_KEY_FALLBACKS", [])
SECRET_KEY_FALLBACKS = [key.strip() for key in _FORMER_KEYS]
if "" in SECRET_KEY_FALLBACKS:
    raise ValueError("SECRET_KEY_FALLBACKS must be former values of SECRET_KEY, separated by commas")
FIELD_KEYS = secret("FIELD_KEYS").replace(" ", "").split(",")
env_values.check_field_keys(FIELD_KEYS)

BASE_URL = env.str("BASE_URL", "http://127.0.0.1:8000", validate=env_values.base_url).rstrip("/")
DATA_BASE_URL = env.str("DATA_BASE_URL", BASE_URL, validate=env_values.base_url).rstrip("/")
ALLOWED_HOSTS = env.list("ALLOWED_HOSTS", ["127.0.0.1", "localhost", "[::1]", urlsplit(BASE_URL).hostname or ""])
TRUSTED_PROXIES = env.int("TRUSTED_PROXIES", 0, validate=env_values.between(0, 10))
METRICS_TOKEN = env.str("METRICS_TOKEN", "")
WEB_CONCURRENCY = env.int("WEB_CONCURRENCY", 1, validate=env_values.between(1, 1000))
AREAS: list[str] = [area.strip() for area in env.list("AREAS", ["datasets", "notifications"])]
if not AREAS or set(AREAS) - {"datasets", "notifications"} or len(set(AREAS)) < len(AREAS):
    raise ValueError("AREAS must be datasets, notifications, or both separated by a comma")
CONSOLE_THEME = env.str("CONSOLE_THEME", "unfold", validate=env_values.one_of("unfold", "plain"))

INSTALLED_APPS = [
    *(["unfold.apps.BasicAppConfig"] if CONSOLE_THEME == "unfold" else []),
    "config.console.apps.ConsoleAdminConfig",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "rest_framework",
    "axes",
    "config",
    "config.accounts",
    "config.console",
    *AREAS,
]

MIDDLEWARE = [
    "config.web.middleware.request_id",
    "config.web.middleware.request_line",
    "config.web.middleware.fold_leading_slashes",
    "config.web.middleware.refuse_plain_http",
    "django.middleware.security.SecurityMiddleware",
    "config.web.middleware.headers",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    *(["notifications.download.middleware.recipients_pages"] if "notifications" in AREAS else []),
    "django.middleware.common.CommonMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "config.web.middleware.apis_apart",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "config.page_bodies.PageBodyLimit",
    "django.middleware.csrf.CsrfViewMiddleware",
    "config.accounts.sessions.renew",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django_otp.middleware.OTPMiddleware",
    "config.console.gate.second_factor",
    "django.contrib.messages.middleware.MessageMiddleware",
    "axes.middleware.AxesMiddleware",
]

ROOT_URLCONF = "config.urls"
WSGI_APPLICATION = "config.wsgi.application"
APPEND_SLASH = False  # a redirected POST loses its body
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [ROOT / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ],
        },
    },
]

_SYNCHRONOUS = env.str(
    "SQLITE_SYNCHRONOUS", "NORMAL", validate=env_values.one_of("off", "normal", "full", "extra", any_case=True)
)
_SQLITE_OPTIONS = {
    "transaction_mode": "IMMEDIATE",  # a deferred transaction would fail without waiting for the lock when it writes
    "timeout": 5,
    "init_command": f"PRAGMA journal_mode=WAL; PRAGMA synchronous={_SYNCHRONOUS};",
}
_STATEMENT_TIMEOUT_MS = env.int("DATABASE_STATEMENT_TIMEOUT_MS", 5000, validate=env_values.at_least(0))
_POSTGRESQL_OPTIONS = {
    # With a short time-out, the next request tries to connect again. The pool itself would wait longer each time.
    "pool": {"min_size": 1, "max_size": 8, "timeout": 2, "reconnect_timeout": 2},
    "connect_timeout": 3,
    "prepare_threshold": 5,  # for cursors from `prepared_cursor` only
    "options": (
        f"-c statement_timeout={_STATEMENT_TIMEOUT_MS}"
        " -c lock_timeout=2000 -c idle_in_transaction_session_timeout=10000"
    ),
}


def _database(url: str) -> dict[str, object]:
    try:
        config: dict[str, object] = dict(dj_database_url.parse(url))
        is_known = config["ENGINE"] in {"django.db.backends.sqlite3", "django.db.backends.postgresql"}
    except ValueError:
        is_known = False
    if not is_known:  # without the URL: it may hold a password
        raise ValueError("DATABASE_URL must be postgres://user:password@host/name or sqlite:///path")
    config["CONN_MAX_AGE"] = 0  # the pool keeps PostgreSQL connections; SQLite connections are cheap
    if config["ENGINE"] == "django.db.backends.sqlite3":
        config["ENGINE"] = "config.databases.sqlite"
        config["OPTIONS"] = _SQLITE_OPTIONS
        config["CONN_MAX_AGE"] = None
        if config["NAME"] != ":memory:":
            config["TEST"] = {"NAME": VAR / "test.sqlite3"}
    else:
        config["ENGINE"] = "config.databases.postgresql"
        options: dict[str, object] = {**_POSTGRESQL_OPTIONS, **config.get("OPTIONS", {})}  # type: ignore[dict-item]  # a dict
        options["prepare_threshold"] = _prepare_threshold(str(options["prepare_threshold"]))
        config["OPTIONS"] = options
        config["CONN_HEALTH_CHECKS"] = True
    return config


def _prepare_threshold(value: str) -> int | None:
    if value != "none" and not value.isdecimal():
        raise ValueError("DATABASE_URL: prepare_threshold must be a whole number or none")
    return None if value == "none" else int(value)


DATABASES = {"default": _database(env.str("DATABASE_URL", f"sqlite:///{VAR / 'signalbox.sqlite3'}"))}
REDIS_URL = env.str("REDIS_URL", "", validate=env_values.redis_url)

LANGUAGE_CODE = "en-gb"
TIME_ZONE = env.str("TIME_ZONE", "Europe/London", validate=env_values.time_zone)
USE_TZ = True
USE_I18N = False

STATIC_URL = "/static/"
STATIC_ROOT = VAR / "static"
STATIC_ROOT.mkdir(exist_ok=True)
STORAGES: dict[str, dict[str, object]] = {
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
WHITENOISE_USE_FINDERS = True  # serves the theme's files from its package, so that no `collectstatic` is needed locally
WHITENOISE_AUTOREFRESH = False
