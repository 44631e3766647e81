"""The management commands of the sending area."""
