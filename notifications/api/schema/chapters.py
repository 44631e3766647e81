"""The chapters of the documentation about sending, in Markdown. Their numbers are those of the code."""

from django.conf import settings

from config.docs.parts import Chapter
from config.rest.handler import HELPFUL
from notifications.api.authentication import LEEWAY_SECONDS
from notifications.api.queries import PAGE_SIZE
from notifications.api.schema import operations
from notifications.delivery.hand_over import TEST_STATUSES
from notifications.submission import policy

_AUTHENTICATION = f"""
Each call carries `Authorization: Bearer` and a JSON Web Token that you make yourself and sign with an API key. The
client libraries of the v2 interface do it for you: give them the address of this service, `{settings.BASE_URL}`, and
the key.

A key has three parts, `name-service id-secret`; the last two are UUIDs of 36 characters. Staff make keys in the
console. The token says:

| Part | Holds |
|---|---|
| header | `{{"typ": "JWT", "alg": "HS256"}}` |
| payload | `iss`: the service id; `iat`: now, in whole seconds since 1970 UTC |
| signature | HMAC-SHA256 with the secret, as text, hyphens included |

It is good for {LEEWAY_SECONDS} seconds before and after `iat`, so your clock must be right. In bash, with openssl:

```bash
API={settings.BASE_URL}; . ./.demo.env
b64() {{ openssl base64 -A | tr '+/' '-_' | tr -d '='; }}
jwt() {{ k="$1"; s="${{k: -36}}"; i="${{k: -73:36}}"
  h=$(printf '{{"typ":"JWT","alg":"HS256"}}' | b64); p=$(printf '{{"iss":"%s","iat":%s}}' "$i" "$(date +%s)" | b64)
  printf '%s.%s.%s' "$h" "$p" "$(printf '%s.%s' "$h" "$p" | openssl dgst -sha256 -hmac "$s" -binary | b64)"; }}
```

`openssl -hmac` shows the secret in the process list: fine on your own machine, not on a shared one.

- A **live** key sends to anyone once the service is live. A **team** key sends to the team and the guest list alone.
  With a **test** key nothing leaves, and the message is marked delivered.
- Every answer carries `X-Request-Id`: staff find the call by it.
- Every error carries `Link: <…>; rel="help"`, the entry on this page that explains it. If your `Accept` header names
  `{HELPFUL}`, each object in `errors` also has `fix`, what to do, and `docs`, the same link.
"""

_SENDING = """
An answer of 201 means that the message is stored and will be delivered. Two equal requests make two messages, unless
both carry the same `Idempotency-Key`.

### What is not checked

These are yours to keep:

- `reference` must hold no personal data: it is shown in lists and in the console.
- Emails people have subscribed to need an unsubscribe link at the end of their body as well, to a page where the
  recipient confirms. `one_click_unsubscribe_url` alone gives only the button of the mail program. A template with our
  unsubscribe link has both: see Unsubscribe requests.
- Markdown in a value is obeyed: a value may hold a link, a heading or a list. If a stranger wrote the value, name it in
  `sanitise_content_for`, or a stranger's link becomes a link in your email. See below.

### Values that strangers wrote

Somebody types `Ada [Claim your refund](https://bad.example/x)` as their name into your form. Your email then has a link
that says *Claim your refund*. `sanitise_content_for` makes the value plain text:

```json
{
  "personalisation": {"name": "Ada [Claim your refund](https://bad.example/x)"},
  "sanitise_content_for": ["name"]
}
```

The email reads `Ada [Claim your refund](`, without a link. The answer shows what changed, with a backslash before each
character that is a mark in Markdown; the backslashes do not show in the email:

```json
{
  "sanitised_content": {
    "name": {
      "unsanitised": "Ada [Claim your refund](https://bad.example/x)",
      "sanitised": "Ada \\\\[Claim your refund\\\\]\\\\("
    }
  }
}
```

It is for emails, and for strings and lists of strings. Do not name values that hold Markdown of your own.

### Limits

Each service may make a number of requests in 60 seconds with each type of key, and send a number of messages in a day,
which ends at midnight UTC. Test keys and simulated recipients do not count towards the day. `RateLimit` and
`RateLimit-Policy` say what is left of the minute, and `Retry-After` when to go on.
"""

_READING = f"""
Read a message by its id, or list the newest {PAGE_SIZE} and follow `links.next`.

### Statuses

| Status | Meaning |
|---|---|
| `created` | stored, waiting for its turn, its time or another attempt |
| `sending` | a provider has it |
| `sent` | a text was handed over, to another country or by a provider that reports nothing; nothing more may come |
| `pending` | the provider has not decided |
| `delivered` | it arrived; for an email whose provider reports nothing: the mail server accepted it |
| `temporary-failure` | it did not arrive now: phone off, mailbox full |
| `permanent-failure` | it never will: no such number or address |
| `technical-failure` | no provider took it, or none took it in time |
"""

_TEMPLATES = """
Staff write templates in the console, with placeholders in double brackets: `((name))`. Each change is a new version.
"""

_RECEIVED = f"""
Texts people sent to the service, newest first, {PAGE_SIZE} at a time.
"""

_UNSUBSCRIBE_REQUESTS = f"""
A template may end with an unsubscribe link. It leads to a page of ours where the recipient confirms, and mail programs
show a button for it (RFC 8058), unless you send a `one_click_unsubscribe_url` of your own. The link works for at least
730 days, also when its message is deleted.

A confirmed request is stored once for each email. It does not stop further emails: take the recipient off your list.
Read the requests here, newest first, {PAGE_SIZE} at a time, or have each one posted to a callback. Staff see them in
the console, mark them as done, and decide how long done requests are kept: 30 to 730 days.
"""

_CALLBACKS = """
Callbacks report statuses without polling. Staff enter a URL and a bearer token for each kind in the console.

- A **delivery status** comes once for each message when its status is final, with test keys too, and never for `sent`,
  `pending` and simulated recipients. Its body has `id`, `reference`, `to`, `status`, `created_at`, `completed_at`,
  `sent_at`, `notification_type`, `template_id` and `template_version`. An email that a mail server had accepted
  and that bounces later has a second one.
- A **received text message** comes for each text that somebody sends to the service, with `id`, `source_number`,
  `destination_number`, `message` and `date_received`.
- An **unsubscribe request** comes once for each email whose recipient confirms that they want no more like it, with
  `id`, `notification_id`, `template_id`, `email_address` and `created_at`.

Each is a POST of JSON with `Authorization: Bearer`. Answer 2xx within 5 seconds. On a network error, 429 or 5xx it is
tried again after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h and 24 h, each ± 20 %; any other answer ends it. 410,
or three days of nothing but failures, pauses the callback. An event may come twice: `webhook-id` is the same over all
of its tries.

With a signing secret each call is signed by [Standard Webhooks](https://www.standardwebhooks.com/); its libraries check
`webhook-id`, `webhook-timestamp` and `webhook-signature`. A replaced secret signs too for 24 hours.
"""

_TRIAL = f"""
A new service is in trial mode: it sends only to its own team and guest list, {settings.DAILY_LIMIT_TRIAL} texts and
{settings.DAILY_LIMIT_TRIAL} emails a day. Test keys work as usual. To send to anyone, have an operator make the service
live in the console; it needs a reply-to address before.
"""


def _number(normalised: str) -> str:
    return f"`0{normalised.removeprefix('44')}`" if normalised.startswith("44") else f"`{normalised}`"


def _simulated() -> str:
    addresses = [f"`{local}@{settings.SIMULATED_EMAIL_DOMAIN}`" for local in policy.SIMULATED_LOCAL_PARTS]
    named = [*map(_number, sorted(policy.SIMULATED_NUMBERS)), *addresses]
    nothing = "201 after every check; nothing is stored, counted or sent"
    rows = [f"| {recipient} | any\u00a0key | {nothing} |" for recipient in named]
    rows += [f"| {_number(one)} | test\u00a0key | `{status.value}` |" for one, status in TEST_STATUSES.items()]
    return "\n".join(rows)


_TESTING = f"""
| Recipient | With | Happens |
|---|---|---|
{_simulated()}
| any other | test\u00a0key | `delivered` |

Numbers and addresses are compared whatever their notation. A team key must know a simulated recipient too. On a
developer's machine, `/sandbox/` shows everything that would have arrived; links and files open from there. Signed-in
staff see the messages of their services there, and recipients with the role *See recipients*.
"""

CHAPTERS = [
    Chapter(title="Authentication", text=_AUTHENTICATION.strip()),
    Chapter(title=operations.SENDING, text=_SENDING.strip()),
    Chapter(title=operations.READING, text=_READING.strip()),
    Chapter(title=operations.TEMPLATES, text=_TEMPLATES.strip()),
    Chapter(title=operations.RECEIVED, text=_RECEIVED.strip()),
    Chapter(title=operations.UNSUBSCRIBE_REQUESTS, text=_UNSUBSCRIBE_REQUESTS.strip()),
    Chapter(title="Callbacks", text=_CALLBACKS.strip()),
    Chapter(title="Trial mode", text=_TRIAL.strip()),
    Chapter(title="Testing", text=_TESTING.strip()),
]
