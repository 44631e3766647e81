"""Settings of the test suite: those of the service, with cheaper password hashing."""

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
