"""Create the demo data of all areas and return the lines that `manage.py demo` and `make run` print.

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
    """Remove the demo data. Raises CommandError if a configured provider could really send a message."""
    _refuse_where_real()
    for part in areas.commands():
        part.wipe()


def make(options: DemoOptions = USUAL) -> list[str]:
    """Create missing demo data, keep its secrets in `.demo.env`, and return the lines to print.

    Only the run that creates a secret shows it in full. Raises CommandError if a configured provider could really send
    a message.
    """
    _refuse_where_real()
    stored = env.demo_values()
    password = stored.get(PASSWORD) or secrets.token_urlsafe(12)
    _make_admin(password)
    variables = {PASSWORD: password}
    area_lines: list[str] = []
    for part in reversed(areas.commands()):  # sending first, as the documentation shows it
        result = part.demo(stored, options)
        variables |= result.variables
        area_lines += result.lines
    env.keep(variables)
    base, shown = settings.BASE_URL, SAVED if stored.get(PASSWORD) else password
    tries = [f"./manage.py try {name}" for part in reversed(areas.commands()) for name in list(part.tries)[:1]]
    return [
        f"Console      {base}/admin/    user admin, password {shown}",
        *([f"Sandbox      {base}/sandbox/  nothing leaves this machine"] if _has_sandbox() else []),
        f"API          {base}           docs {base}/docs/",
        *(_without_secrets(line, stored) for line in area_lines),
        f"Try          {'   |   '.join(tries)}",
    ]


def _has_sandbox() -> bool:
    try:
        return bool(reverse("sandbox-inbox"))
    except NoReverseMatch:  # AREAS does not include the sending area
        return False


def _refuse_where_real() -> None:
    if not is_allowed():
        raise CommandError("Demo data needs PROVIDERS=sandbox, because a real provider would send its messages.")


def _make_admin(password: str) -> None:
    """Create the console's first account, or set its new password if `.demo.env` was removed.

    Its email address appears as `created_by` of its templates and receives the messages that it sends to itself.
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
