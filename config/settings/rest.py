"""Settings of Django REST framework for both APIs."""

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [],
    "DEFAULT_PERMISSION_CLASSES": [],
    "DEFAULT_PARSER_CLASSES": [],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "UNAUTHENTICATED_USER": None,
    "COMPACT_JSON": True,
}

DATA_UPLOAD_MAX_MEMORY_SIZE = 4 * 1024 * 1024  # for a form without its files; the APIs limit their bodies themselves
