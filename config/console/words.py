"""An audit event as a sentence: "mina revoked the API key “pay-live”"."""

from functools import lru_cache

from django.apps import apps

from config.console.models import AuditEvent

_VERBS = {"created": "made", "rotated": "replaced", "made_default": "made the default"}
_NAMES = ("name", "username", "sender", "email_address", "value", "url")  # what a row is called, first found


def sentence(event: AuditEvent) -> str:
    """Say who did what to which row, without its former or new values."""
    who = event.actor_label or event.actor_kind
    verb = _VERBS.get(event.verb, event.verb.replace("_", " "))
    return f"{who} {verb} the {kind_of(event.object_kind)} {name_of(event)}"


def name_of(event: AuditEvent) -> str:
    """Return what the row was called then, else the beginning of its id."""
    values = {**(event.before or {}), **(event.after or {})}
    name = next((values[field] for field in _NAMES if values.get(field)), None)
    return f"“{name}”" if name else event.object_id[:8]


@lru_cache(maxsize=64)
def kind_of(object_kind: str) -> str:
    """Return the words for a model's name: `apikey` is an "API key"."""
    models = (model for model in apps.get_models() if model._meta.model_name == object_kind)
    return str(next((model._meta.verbose_name for model in models), object_kind.replace("_", " ")))


def differences(event: AuditEvent) -> list[tuple[str, object, object]]:
    """Return the fields the event tells of: name in words, before, after."""
    before, after = event.before or {}, event.after or {}
    return [(name.replace("_", " "), before.get(name), after.get(name)) for name in {**before, **after}]
