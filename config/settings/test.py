"""Settings of the test suite: only password hashing is cheaper."""

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
