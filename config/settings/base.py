"""Basic settings: URLs, applications and static files."""

from urllib.parse import urlsplit

from config import env_values
from config.env import ROOT, env, environment, folder_of, secret

ENVIRONMENT = environment()

VAR = env.path("VAR_DIR", ROOT / "var")
_ELSEWHERE = (
    env.str("DATABASE_URL", "").startswith("postgres"),
    bool(env.str("REDIS_URL", "")),
    env.str("FILES_STORAGE", "") == "s3" or bool(env.str("FILES_DIR", "")),
)
KEEPS_STATE_IN_VAR = not all(_ELSEWHERE)  # if not, the service starts on a read-only file system
if KEEPS_STATE_IN_VAR:
    folder_of("VAR_DIR", VAR)

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
_DRAIN_SECONDS = 5 if ENVIRONMENT == "production" else 0
DRAIN_SECONDS = env.float("DRAIN_SECONDS", _DRAIN_SECONDS, validate=env_values.between(0, 300))
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
    *(["notifications.download.middleware.recipients_pages"] if "notifications" in AREAS else []),
    "django.middleware.common.CommonMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "config.web.middleware.apis_apart",
    "config.web.compression.compress",
    "whitenoise.middleware.WhiteNoiseMiddleware",
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
            # Their tags and filters need no `load`, because most templates use them.
            "builtins": [
                "config.console.templatetags.values",
                "django.contrib.admin.templatetags.admin_urls",
                "django.templatetags.i18n",
                "django.templatetags.static",
            ],
        },
    },
]

REDIS_URL = env.str("REDIS_URL", "", validate=env_values.redis_url)
REDIS_PREFIX = env.str("REDIS_PREFIX", "", validate=env_values.redis_prefix)

LANGUAGE_CODE = "en-gb"
LANGUAGES = [("en-gb", "English"), ("cy", "Welsh")]  # of the pages for recipients; the console is in English
LOCALE_PATHS = [ROOT / "config" / "locale"]
TIME_ZONE = env.str("TIME_ZONE", "Europe/London", validate=env_values.time_zone)
USE_TZ = True
USE_I18N = True

STATIC_URL = "/static/"
STORAGES: dict[str, dict[str, object]] = {
    "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"},
}
WHITENOISE_USE_FINDERS = True  # serves the theme's files from its package, so that no `collectstatic` is needed locally
WHITENOISE_AUTOREFRESH = False
