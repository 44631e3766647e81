"""Changes of templates by staff, API keys and commands: the same rules and audit events for all of them."""
