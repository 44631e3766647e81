"""The one exception of the rules for settings: a value that a form and `manage.py provision` refuse alike."""


class InvalidValue(ValueError):
    """A value breaks a rule. The text says what happened and what to do next, for staff and operators alike."""
