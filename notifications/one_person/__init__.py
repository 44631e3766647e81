"""Find, export and erase everything about one recipient. Source: docs/reference/erasing.md."""
