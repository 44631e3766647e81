"""Validate the settings of a service: one function for each rule, shared by the console's forms and `provision`.

A `parse_*` function returns the value as it is stored. A `check_*` function returns nothing. Both raise InvalidValue.
The console shows its text beside the field, `provision` after the JSON path.
"""
