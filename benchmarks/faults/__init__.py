"""Break what the service stands on while it works, and count what was lost. Each is run by itself, as a module."""
