"""A rule for passwords beside Django's: one key held down is no password."""

from django.contrib.auth.models import User
from django.core.exceptions import ValidationError

_DIFFERENT_CHARACTERS = 5


class DifferentCharactersValidator:
    """Refuse a password such as twelve blanks, or aaaaaaaaaaaa."""

    def validate(self, password: str, user: User | None = None) -> None:
        if len(set(password)) < _DIFFERENT_CHARACTERS:
            raise ValidationError(
                f"This password repeats too few characters. Use at least {_DIFFERENT_CHARACTERS} different ones.",
                code="password_too_uniform",
            )

    def get_help_text(self) -> str:
        return f"Your password must contain at least {_DIFFERENT_CHARACTERS} different characters."
