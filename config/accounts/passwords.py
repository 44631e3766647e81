"""A password validator that Django does not have."""

from django.contrib.auth.models import User
from django.core.exceptions import ValidationError

_DIFFERENT_CHARACTERS = 5


class DifferentCharactersValidator:
    """Reject a password such as aaaaaaaaaaaa, or twelve spaces."""

    def validate(self, password: str, user: User | None = None) -> None:
        if len(set(password)) < _DIFFERENT_CHARACTERS:
            raise ValidationError(
                f"This password uses too few different characters. Use at least {_DIFFERENT_CHARACTERS}.",
                code="password_too_uniform",
            )

    def get_help_text(self) -> str:
        return f"Your password must contain at least {_DIFFERENT_CHARACTERS} different characters."
