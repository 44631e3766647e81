"""Calls that work as pasted: base address, key and a template of the service filled in."""

import json

from notifications.models import Channel, Template, TemplateVersion
from notifications.rendering import placeholders

_SOMEBODY = {Channel.EMAIL: "you@example.org", Channel.SMS: "07700900123"}
_FIELD = {Channel.EMAIL: "email_address", Channel.SMS: "phone_number"}
_METHOD = {Channel.EMAIL: "send_email_notification", Channel.SMS: "send_sms_notification"}
PLACE_FOR_KEY = "paste-a-test-key-here"
_NO_TEMPLATE = "the id of a template (make one first)"


def python(base_url: str, key: str, template: Template | None) -> str:
    channel, body = _call(template)
    arguments = ",\n    ".join(f"{name}={value!r}" for name, value in body.items())
    return (
        "# pip install notifications-python-client\n"
        "from notifications_python_client import NotificationsAPIClient\n\n"
        f'client = NotificationsAPIClient("{key}", base_url="{base_url}")\n'
        f"print(client.{_METHOD[channel]}(\n    {arguments},\n))"
    )


def shell(base_url: str, key: str, template: Template | None) -> str:
    """Return a curl with the token it needs: HS256 over the service id and the time, made by the shell itself."""
    channel, body = _call(template)
    return (
        f"NOTIFY_API_KEY={key}\n"
        'SERVICE=$(printf %s "$NOTIFY_API_KEY" | tail -c 73 | head -c 36)\n'
        'SECRET=$(printf %s "$NOTIFY_API_KEY" | tail -c 36)\n'
        "b64() { openssl base64 -A | tr '+/' '-_' | tr -d '='; }\n"
        'HEAD=$(printf \'{"typ":"JWT","alg":"HS256"}\' | b64)\n'
        'CLAIMS=$(printf \'{"iss":"%s","iat":%s}\' "$SERVICE" "$(date +%s)" | b64)\n'
        'SIGN=$(printf %s "$HEAD.$CLAIMS" | openssl dgst -sha256 -hmac "$SECRET" -binary | b64)\n'
        f"curl {base_url}/v2/notifications/{channel.value} \\\n"
        '  -H "Authorization: Bearer $HEAD.$CLAIMS.$SIGN" -H "Content-Type: application/json" \\\n'
        f"  -d '{json.dumps(body, ensure_ascii=True).replace(chr(39), chr(92) + 'u0027')}'"
    )


def _call(template: Template | None) -> tuple[Channel, dict[str, object]]:
    channel = Channel(template.type) if template else Channel.EMAIL
    body: dict[str, object] = {
        _FIELD[channel]: _SOMEBODY[channel],
        "template_id": str(template.pk) if template else _NO_TEMPLATE,
    }
    names = _placeholders(template)
    if names:
        body["personalisation"] = {name: f"a {name}" for name in names}
    return channel, body


def _placeholders(template: Template | None) -> list[str]:
    if template is None:
        return []
    version = TemplateVersion.objects.get(template=template, number=template.current_version)
    return placeholders.find(version.subject or "", version.content)
