"""Settings of the sign-in through an OpenID Connect provider. It is off without OIDC_ISSUER.

Source: docs/reference/security.md §5.
"""

import json
from urllib.parse import urlsplit

from environs import ValidationError

from config import env_values
from config.env import env, environment

# An unknown role would give nobody anything, and nobody would notice. The areas apply these; a test compares the lists.
_GRANTS = {"operator", "manage data sets"}
_ROLES = {"see_activity", "see_recipients", "send_messages", "edit_templates", "manage_api", "manage_service"}


def _issuer(value: str) -> None:
    """Accept an https URL, or outside production one of this machine."""
    env_values.base_url(value)
    parts = urlsplit(value)
    is_local = parts.hostname in {"127.0.0.1", "localhost", "::1"} and environment() != "production"
    if parts.scheme != "https" and not is_local:
        raise ValidationError("must begin with https://")


def _is_known(grant: str) -> bool:
    name, colon, roles = grant.partition(":")
    if not colon:
        return grant in _GRANTS
    return bool(name.strip()) and all(role.strip() in _ROLES for role in roles.split(","))


def _grants(value: str) -> dict[str, list[str]]:
    """Return the parsed OIDC_ROLES. Raises ValueError."""
    try:
        found = json.loads(value or "{}")
        is_right = isinstance(found, dict) and all(
            isinstance(grants, list) and all(isinstance(grant, str) for grant in grants) for grants in found.values()
        )
    except ValueError:
        is_right = False
    if not is_right:
        raise ValueError('OIDC_ROLES must be JSON such as {"admins": ["operator"], "pay": ["Pay: see_activity"]}')
    unknown = sorted({grant for grants in found.values() for grant in grants if not _is_known(grant)})
    if unknown:
        known = f"{', '.join(sorted(_GRANTS))} or “service: role” with a role of {', '.join(sorted(_ROLES))}"
        raise ValueError(f"OIDC_ROLES: {unknown[0]!r} must be {known}")
    return dict(found)


OIDC_ISSUER = env.str("OIDC_ISSUER", "").rstrip("/")
if OIDC_ISSUER:
    env.str("OIDC_ISSUER", validate=_issuer)
OIDC_CLIENT_ID = env.str("OIDC_CLIENT_ID", "")
OIDC_CLIENT_SECRET = env.str("OIDC_CLIENT_SECRET", "")
OIDC_NAME = env.str("OIDC_NAME", "single sign-on")
OIDC_ACCOUNTS = env.str("OIDC_ACCOUNTS", "matched", validate=env_values.one_of("matched", "created"))
OIDC_GROUPS_CLAIM = env.str("OIDC_GROUPS_CLAIM", "groups")
OIDC_ROLES = _grants(env.str("OIDC_ROLES", ""))
OIDC_CHECKS_SECOND_FACTOR = env.bool("OIDC_CHECKS_SECOND_FACTOR", False)
if OIDC_ISSUER and not (OIDC_CLIENT_ID and OIDC_CLIENT_SECRET):
    raise ValueError("OIDC_CLIENT_ID and OIDC_CLIENT_SECRET must be set, because OIDC_ISSUER is")
