"""Loaded before Django reads its settings: the environment in which the suite runs."""

import os
import tempfile

os.environ.setdefault("ENVIRONMENT", "test")
os.environ.setdefault("SECRET_KEY", "a-key-for-the-suite-alone-a-key-for-the-suite-alone")
os.environ.setdefault("FIELD_KEYS", "ZmllbGQta2V5LWZvci10aGUtc3VpdGUtYWxvbmUtMzI=")
os.environ.setdefault("VAR_DIR", tempfile.mkdtemp(prefix="signalbox-"))
