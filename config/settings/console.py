"""The staff console: sign-in, sessions, and the theme."""

from datetime import timedelta

from django.templatetags.static import static

from config import env_values
from config.env import env, environment

AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {
        "NAME": "django.contrib.auth.password_validation.MinimumLengthValidator",
        "OPTIONS": {"min_length": 12},
    },
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "django.contrib.auth.password_validation.NumericPasswordValidator"},
    {"NAME": "config.accounts.passwords.DifferentCharactersValidator"},
]
PASSWORD_HASHERS = [
    "config.accounts.hashing.PasswordHasher",
    "django.contrib.auth.hashers.PBKDF2PasswordHasher",
]

LOGIN_URL = "admin:login"
LOGIN_REDIRECT_URL = "admin:index"

SESSION_ENGINE = "config.accounts.sessions"
SESSION_COOKIE_AGE = 30 * 60  # since the last request
SESSION_EXPIRE_AT_BROWSER_CLOSE = True
SUDO_MINUTES = env.int("SUDO_MINUTES", 30, validate=env_values.between(1, 720))
_AUDIT_DAYS = env_values.between(30, 36_500)  # the database trigger refuses to delete the newest 30 days
AUDIT_RETENTION_DAYS = env.int("AUDIT_RETENTION_DAYS", 730, validate=_AUDIT_DAYS)
REQUIRE_SECOND_FACTOR = env.bool("REQUIRE_SECOND_FACTOR", environment() == "production")

# Ten wrong passwords for an account from one IP address, or from one /64 of IPv6, lock it for that network.
# The counters are database rows, so all processes share them.
SIGN_IN_WAIT_MINUTES = 15
AUTHENTICATION_BACKENDS = ["axes.backends.AxesStandaloneBackend", "config.accounts.backend.AccountBackend"]
AXES_FAILURE_LIMIT = 10
AXES_COOLOFF_TIME = timedelta(minutes=SIGN_IN_WAIT_MINUTES)
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]
AXES_RESET_COOL_OFF_ON_FAILURE_DURING_LOCKOUT = False  # further wrong passwords do not extend the lock
AXES_RESET_ON_SUCCESS = True
AXES_CLIENT_IP_CALLABLE = "config.web.ip_addresses.client_network"
AXES_USERNAME_CALLABLE = "config.accounts.throttling.account_tag"
AXES_LOCKOUT_CALLABLE = "config.console.sign_in.locked_page"
AXES_SENSITIVE_PARAMETERS = [
    *("username", "password", "code", "credential", "old_password", "next", "csrfmiddlewaretoken"),
]
AXES_DISABLE_ACCESS_LOG = True  # the audit records sign-ins
AXES_ENABLE_ADMIN = False
AXES_VERBOSE = False
X_FRAME_OPTIONS = "DENY"
SECURE_REFERRER_POLICY = "same-origin"

UNFOLD = {
    "SITE_TITLE": "Signalbox",
    "SITE_HEADER": "Signalbox",
    "SITE_SUBHEADER": "Staff console",
    "SITE_ICON": lambda request: static("console/icon.svg"),
    "SITE_URL": "/",
    "SITE_FAVICONS": [{"rel": "icon", "type": "image/svg+xml", "href": lambda request: static("console/icon.svg")}],
    "SHOW_BACK_BUTTON": False,
    "SHOW_VIEW_ON_SITE": False,
    "BORDER_RADIUS": "6px",
    "COLORS": {
        "primary": {  # petrol: 600 on white and 500 on the dark background both have a contrast above 4.5 : 1
            "50": "oklch(97.6% .012 205)",
            "100": "oklch(94.6% .026 205)",
            "200": "oklch(89.6% .048 207)",
            "300": "oklch(82.0% .078 209)",
            "400": "oklch(73.0% .096 211)",
            "500": "oklch(63.5% .098 213)",
            "600": "oklch(51.0% .086 216)",
            "700": "oklch(44.5% .074 218)",
            "800": "oklch(38.5% .060 220)",
            "900": "oklch(33.5% .048 222)",
            "950": "oklch(25.5% .038 224)",
        },
    },
    "SIDEBAR": {"show_search": False},
}
