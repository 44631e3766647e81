"""The staff console: sign-in, sessions, and the theme."""

from django.templatetags.static import static

from config.env import env

AUTH_PASSWORD_VALIDATORS = [
    {
        "NAME": "django.contrib.auth.password_validation.MinimumLengthValidator",
        "OPTIONS": {"min_length": 12},
    },
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
PASSWORD_HASHERS = [
    "django.contrib.auth.hashers.Argon2PasswordHasher",
    "django.contrib.auth.hashers.PBKDF2PasswordHasher",
]

LOGIN_URL = "admin:login"
LOGIN_REDIRECT_URL = "admin:index"

SESSION_COOKIE_AGE = 30 * 60
SESSION_SAVE_EVERY_REQUEST = True  # 30 minutes idle, not 30 minutes in all
SESSION_EXPIRE_AT_BROWSER_CLOSE = True
SUDO_MINUTES = env.int("SUDO_MINUTES", 30)
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
    "ENVIRONMENT": "config.console.ribbon.environment",
    "BORDER_RADIUS": "6px",
    "COLORS": {
        "primary": {  # a calm petrol: 600 on white and 500 on the dark ground both pass 4.5 : 1
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
    "SIDEBAR": {"show_search": False, "navigation": "config.console.navigation.sidebar"},
}
