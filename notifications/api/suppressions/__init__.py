"""The resources below /v2/suppressions."""
