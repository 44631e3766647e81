"""The demo data of all areas, and the lines that tell a person where to begin.

Source: docs/reference/running.md §2, §5.
"""

import secrets

from django.conf import settings
from django.contrib.auth import get_user_model
from django.core.management import CommandError
from django.urls import NoReverseMatch, reverse

from config import areas, env
from config.areas import USUAL, DemoOptions

PASSWORD = "ADMIN_PASSWORD"  # noqa: S105  the name of a variable
ADMIN_EMAIL = "admin@example.org"
SAVED = "saved in .demo.env"


def is_allowed() -> bool:
    return settings.PROVIDERS == ["sandbox"]


def wipe() -> None:
    """Remove what earlier calls have made. Raises CommandError if a message could leave the machine."""
    _refuse_where_real()
    for part in areas.commands():
        part.wipe()


def make(options: DemoOptions = USUAL) -> list[str]:
    """Make what is not there yet, keep its secrets in `.demo.env`, and return the lines to print.

    A secret is shown in full once, in the run that made it. Raises CommandError if a message could leave the machine.
    """
    _refuse_where_real()
    stored = env.demo_values()
    password = stored.get(PASSWORD) or secrets.token_urlsafe(12)
    _make_admin(password)
    made = {PASSWORD: password}
    of_areas: list[str] = []
    for part in reversed(areas.commands()):  # sending first, as the documentation shows it
        result = part.demo(stored, options)
        made |= result.variables
        of_areas += result.lines
    env.keep(made)
    base, shown = settings.BASE_URL, SAVED if stored.get(PASSWORD) else password
    tries = [f"./manage.py try {name}" for part in reversed(areas.commands()) for name in list(part.tries)[:1]]
    return [
        f"Console      {base}/admin/    user admin, password {shown}",
        *([f"Sandbox      {base}/sandbox/  nothing leaves this machine"] if _has_sandbox() else []),
        f"API          {base}           docs {base}/docs/",
        *(_without_secrets(line, stored) for line in of_areas),
        f"Try          {'   |   '.join(tries)}",
    ]


def _has_sandbox() -> bool:
    try:
        return bool(reverse("sandbox-inbox"))
    except NoReverseMatch:  # its area is none of AREAS
        return False


def _refuse_where_real() -> None:
    if not is_allowed():
        raise CommandError("Demo data is for the sandbox provider alone: PROVIDERS names a real one.")


def _make_admin(password: str) -> None:
    """Make the console's first account; if `.demo.env` was removed, give it the new password.

    It has an email address: `created_by` of its templates, and the recipient of the messages it sends to itself.
    """
    accounts = get_user_model().objects
    user, is_new = accounts.get_or_create(username="admin", defaults={"is_staff": True, "is_superuser": True})
    if not user.email and not accounts.filter(email__iexact=ADMIN_EMAIL).exists():
        user.email = ADMIN_EMAIL
        user.save(update_fields=["email"])
    if is_new or not user.check_password(password):
        user.set_password(password)
        user.save(update_fields=["password"])


def _without_secrets(line: str, stored: dict[str, str]) -> str:
    for name, value in stored.items():
        line = line.replace(f"{name}={value}", f"{name} {SAVED}")
    return line
