"""The inbox for development: what would have arrived."""
