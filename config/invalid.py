"""The exception of the rules for settings, which console forms and `manage.py provision` share."""


class InvalidValue(ValueError):
    """A value breaks a rule. The text says what happened and what to do next, for staff and operators alike."""
