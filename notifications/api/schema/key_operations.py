"""The OpenAPI description of the API key of a call."""

from notifications.api import keys
from notifications.api.schema.describing import describe, read

AUTHENTICATION = "Authentication"

describe(
    "keys.ApiKeyViewSet",
    retrieve=read(
        "readApiKey",
        AUTHENTICATION,
        "Read the API key of the call",
        keys.ApiKeySerializer,
        about="The name, the type and the limits of the key that signed the token. The secret is never shown.",
    ),
)
