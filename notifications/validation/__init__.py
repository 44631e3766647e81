"""What a setting of a service may be: one function for each rule, called by the console's forms and by `provision`.

A `parse_*` function returns the value as it is stored, a `check_*` function returns
nothing; both raise InvalidValue, whose text is shown beside the field and behind the JSON path alike.
"""
