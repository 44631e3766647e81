"""Write example calls that work when pasted: with the base URL, a key and a template of the service.

There is one for curl and one for each official client, with the package and method names of the client.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from notifications.models import Channel, Template, TemplateVersion
from notifications.submission.templates import samples

_SOMEBODY = {Channel.EMAIL: "you@example.org", Channel.SMS: "07700900123"}
_FIELD = {Channel.EMAIL: "email_address", Channel.SMS: "phone_number"}
_METHOD = {Channel.EMAIL: "send_email_notification", Channel.SMS: "send_sms_notification"}
PLACE_FOR_KEY = "paste-a-test-key-here"
_STEM = {Channel.EMAIL: "Email", Channel.SMS: "Sms"}
_NO_TEMPLATE = "the id of a template (make one first)"
_IN_NODE = {
    "reference": "reference",
    "email_reply_to_id": "emailReplyToId",
    "sms_sender_id": "smsSenderId",
    "one_click_unsubscribe_url": "oneClickUnsubscribeURL",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ExampleCall:
    """A call that sends a message. options: further properties of its body, such as `reference`"""

    channel: Channel
    template_id: str
    recipient: str = ""
    personalisation: Mapping[str, object]
    options: Mapping[str, str]

    def body(self) -> dict[str, object]:
        values = {"personalisation": dict(self.personalisation)} if self.personalisation else {}
        recipient = self.recipient or _SOMEBODY[self.channel]
        return {_FIELD[self.channel]: recipient, "template_id": self.template_id, **values, **self.options}


Subject = Template | ExampleCall | None  # what an example is for; None: a service without a template


def python(base_url: str, key: str, template: Subject) -> str:
    channel, body = _call(template)
    arguments = ",\n    ".join(f"{name}={value!r}" for name, value in body.items())
    return (
        "# pip install notifications-python-client\n"
        "from notifications_python_client import NotificationsAPIClient\n\n"
        f'client = NotificationsAPIClient("{key}", base_url="{base_url}")\n'
        f"print(client.{_METHOD[channel]}(\n    {arguments},\n))"
    )


def shell(base_url: str, key: str, template: Subject) -> str:
    """Return a curl command with shell commands that sign its token (HS256 over the service id and the time)."""
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


def node(base_url: str, key: str, template: Subject) -> str:
    channel, body = _call(template)
    options = {_IN_NODE[name]: value for name, value in body.items() if name in _IN_NODE}
    values = json.dumps({"personalisation": body.get("personalisation", {}), **options}, ensure_ascii=False)
    return (
        "// npm install notifications-node-client\n"
        'const { NotifyClient } = require("notifications-node-client");\n\n'
        f"const client = new NotifyClient({_quoted(base_url)}, {_quoted(key)});\n"
        f"client\n  .send{_STEM[channel]}({_quoted(body['template_id'])}, {_quoted(body[_FIELD[channel]])}, {values})\n"
        "  .then((response) => console.log(response.data), (error) => console.error(error.response.data));"
    )


def java(base_url: str, key: str, template: Subject) -> str:
    channel, body = _call(template)
    pairs = _pairs(body, "{}, {}", _quoted, "List.of({})")
    return (
        "// uk.gov.service.notify:notifications-java-client\n"
        f"var client = new NotificationClient({_quoted(key)}, {_quoted(base_url)});\n"
        f"var response = client.send{_STEM[channel]}(\n"
        f"    {_quoted(body['template_id'])}, {_quoted(body[_FIELD[channel]])}, Map.of({pairs}), null);\n"
        "System.out.println(response.getNotificationId());"
    )


def dotnet(base_url: str, key: str, template: Subject) -> str:
    channel, body = _call(template)
    pairs = _pairs(body, "{{ {}, {} }}", _quoted, "new[] {{ {} }}")
    return (
        "// dotnet add package GovukNotify\n"
        f"var client = new NotificationClient({_quoted(base_url)}, {_quoted(key)});\n"
        f"var response = client.Send{_STEM[channel]}(\n"
        f"    {_quoted(body[_FIELD[channel]])}, {_quoted(body['template_id'])},\n"
        f"    new Dictionary<string, dynamic> {{ {pairs} }});\n"
        "Console.WriteLine(response.id);"
    )


def php(base_url: str, key: str, template: Subject) -> str:
    channel, body = _call(template)
    pairs = _pairs(body, "{} => {}", _single, "[{}]")
    return (
        "// composer require alphagov/notifications-php-client php-http/guzzle7-adapter\n"
        "$client = new \\Alphagov\\Notifications\\Client([\n"
        f"    'baseUrl' => {_single(base_url)},\n    'apiKey' => {_single(key)},\n"
        "    'httpClient' => new \\Http\\Adapter\\Guzzle7\\Client(),\n]);\n"
        f"print_r($client->send{_STEM[channel]}(\n"
        f"    {_single(body[_FIELD[channel]])}, {_single(str(body['template_id']))}, [{pairs}]));"
    )


def ruby(base_url: str, key: str, template: Subject) -> str:
    channel, body = _call(template)
    arguments = ",\n  ".join(f"{name}: {_quoted(value)}" for name, value in body.items() if name != "personalisation")
    pairs = _pairs(body, "{} => {}", _single, "[{}]")
    return (
        "# gem install notifications-ruby-client\n"
        'require "notifications/client"\n\n'
        f"client = Notifications::Client.new({_single(key)}, {_single(base_url)})\n"
        f"puts client.send_{channel.value}(\n  {arguments},\n  personalisation: {{ {pairs} }},\n).id"
    )


LANGUAGES: Mapping[str, Callable[[str, str, Subject], str]] = {
    "curl": shell,
    "Python": python,
    "Node": node,
    "Java": java,
    ".NET": dotnet,
    "PHP": php,
    "Ruby": ruby,
}


def _pairs(body: Mapping[str, object], pair: str, quoted: Callable[[object], str], listed: str) -> str:
    """Write the personalisation. pair, listed: the syntax of a name with its value, and of a list of strings."""
    values = body.get("personalisation")
    return ", ".join(
        pair.format(
            quoted(name),
            listed.format(", ".join(map(quoted, value))) if isinstance(value, list) else quoted(value),
        )
        for name, value in (values.items() if isinstance(values, dict) else ())
    )


def _quoted(value: object) -> str:
    """Write a string between double quotes."""
    return json.dumps(str(value), ensure_ascii=False)


def _single(value: object) -> str:
    """Write a string between single quotes, in which PHP and Ruby interpolate nothing."""
    return "'" + str(value).replace("\\", "\\\\").replace("'", "\\'") + "'"


def _call(template: Subject) -> tuple[Channel, dict[str, object]]:
    if isinstance(template, ExampleCall):
        return template.channel, template.body()
    channel = Channel(template.type) if template else Channel.EMAIL
    body: dict[str, object] = {
        _FIELD[channel]: _SOMEBODY[channel],
        "template_id": str(template.pk) if template else _NO_TEMPLATE,
    }
    if template:
        version = TemplateVersion.objects.get(template=template, number=template.current_version)
        if values := samples.values(template, version.subject or "", version.content):
            body["personalisation"] = values
    return channel, body
