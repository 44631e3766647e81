"""The version in `/docs/`, the OpenAPI document, `/_status/deep` and `manage.py --version`."""

VERSION = "1.1.0"
