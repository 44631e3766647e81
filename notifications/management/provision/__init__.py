"""The services of a `manage.py provision` document. Source: docs/reference/sending-api.md §22."""
