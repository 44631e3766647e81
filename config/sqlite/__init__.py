"""SQLite as Django has it, with a line for those that want to write."""
