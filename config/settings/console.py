"""The staff console: sign-in, sessions, and the theme."""

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

SESSION_COOKIE_AGE = 30 * 60
SESSION_SAVE_EVERY_REQUEST = True  # 30 minutes idle, not 30 minutes in all
SESSION_EXPIRE_AT_BROWSER_CLOSE = True
SUDO_MINUTES = env.int("SUDO_MINUTES", 30)
X_FRAME_OPTIONS = "DENY"
SECURE_REFERRER_POLICY = "same-origin"

UNFOLD = {
    "SITE_TITLE": "Signalbox",
    "SITE_HEADER": "Signalbox",
    "SITE_URL": "/admin/",
    "SHOW_BACK_BUTTON": False,
}
