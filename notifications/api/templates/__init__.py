"""The resources below /v2/templates that change templates."""
