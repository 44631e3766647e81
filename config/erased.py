"""The text that stands in place of erased data."""

ERASED = "[erased]"
