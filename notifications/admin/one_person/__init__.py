"""The page *One person* of the console: find, export and erase everything about one recipient."""
