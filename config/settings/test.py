"""What the suite changes: cheap password hashing, nothing else."""

PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
