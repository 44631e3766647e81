"""The one exception of this package."""


class InvalidValue(ValueError):
    """A value breaks a rule. The text says what happened and what to do next, for staff and operators alike."""
