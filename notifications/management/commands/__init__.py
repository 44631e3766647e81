"""The sending area's own commands."""
