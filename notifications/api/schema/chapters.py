"""The chapters of the documentation about sending, in Markdown. Numbers come from the constants of the code."""

from django.conf import settings

from config.docs.parts import Chapter
from config.rest.handler import HELPFUL
from notifications.api.authentication import LEEWAY_SECONDS
from notifications.api.queries import PAGE_SIZE
from notifications.api.schema import operations, suppression_operations
from notifications.delivery.hand_over import TEST_STATUSES
from notifications.submission import policy

_AUTHENTICATION = f"""
Each call has the header `Authorization: Bearer` with a JSON Web Token that you sign with an API key. The client
libraries of the v2 interface create it for you: give them the URL of this service, `{settings.BASE_URL}`, and the key.

A key has three parts, `name-service id-secret`. The last two are UUIDs of 36 characters. Staff create keys in the
console. The token has these parts:

| Part | Content |
|---|---|
| header | `{{"typ": "JWT", "alg": "HS256"}}` |
| payload | `iss`: the service id; `iat`: now, in whole seconds since 1970 UTC |
| signature | HMAC-SHA256 with the secret, as text, hyphens included |

It is valid for {LEEWAY_SECONDS} seconds before and after `iat`, so your clock must be right. In bash, with openssl:

```bash
API={settings.BASE_URL}; . ./.demo.env
b64() {{ openssl base64 -A | tr '+/' '-_' | tr -d '='; }}
jwt() {{ k="$1"; s="${{k: -36}}"; i="${{k: -73:36}}"
  h=$(printf '{{"typ":"JWT","alg":"HS256"}}' | b64); p=$(printf '{{"iss":"%s","iat":%s}}' "$i" "$(date +%s)" | b64)
  printf '%s.%s.%s' "$h" "$p" "$(printf '%s.%s' "$h" "$p" | openssl dgst -sha256 -hmac "$s" -binary | b64)"; }}
```

`openssl -hmac` shows the secret in the process list. Do not use it on a shared machine.

A service may also accept `Authorization: ApiKey-v1` with the whole key, as programs for GC Notify send it. Staff turn
this on in the console. It is less safe: everyone who reads a request can use the key.

- A **live** key sends to anyone if the service is live. A **team** key sends only to the team and the guest list.
  A **test** key sends nothing, and the message is marked as delivered.
- Every response has the header `X-Request-Id`. Staff can find the call by it.
- Every error has the header `Link: <…>; rel="help"` with the entry on this page that explains it. If your `Accept`
  header names `{HELPFUL}`, each object in `errors` also has `fix`, what to do, and `docs`, the same link.
"""

_SENDING = """
The status 201 means that the message is stored and will be sent. Two equal requests create two messages, unless both
have the same `Idempotency-Key`, or the service has a repeat guard.

### Dry runs

With `?dry_run=true` a send is only checked. The response lists the result of every check, with what to do about each
error, and shows the message that would be sent. Use it to test a program with real templates and recipients, without
sending anything. All errors are listed together, unlike in the response to a send.

### Scheduled messages, quiet hours and repeats

- A message with `scheduled_for` waits for its time. Until then you can list, move and cancel it.
- A service may have quiet hours. Messages of templates that respect them wait until they end, like scheduled messages.
- A service may have a repeat guard. A message with the same template, recipient and reference as an earlier one is then
  not sent again for some minutes. The response has the values of the first message and the header `Repeat-Of`.

### Fallback to an email

A text message may name an email that is sent if the text fails: `"fallback": {"email_address": "ana@example.org",
"template_id": "…"}`. The template is an email template, and it gets the personalisation of the text.

- The email is checked when you send the text, completely. Its errors begin with `fallback:`.
- If the text ends as `permanent-failure`, `temporary-failure` or `technical-failure`, the email is submitted once.
  It has the reference of the text, and an id and callbacks of its own.
- The email counts towards the daily limit of emails when it is submitted. If the limit is used up, no email is sent.
- Reading the text by its id shows `fallback` with its status and the id of the email. The email has `fallback_of`.
- To test it, send with a test key to a number that fails, see Testing.

### Rules that are not checked

- `reference` must not contain personal data. Lists and the console show it.
- Emails that people subscribe to also need an unsubscribe link at the end of the body. It must lead to a page where the
  recipient confirms. `one_click_unsubscribe_url` alone adds only the button of the email program. A template with an
  unsubscribe link has both: see Unsubscribe requests.
- A value may contain Markdown, such as a link, a heading or a list. If a value comes from an untrusted source, name it
  in `sanitise_content_for`. Otherwise its links become links in your email.

### Values from untrusted sources

Suppose that someone enters `Ada [Claim your refund](https://bad.example/x)` as their name in your form. Your email
then has a link with the text *Claim your refund*. `sanitise_content_for` turns the value into plain text:

```json
{
  "personalisation": {"name": "Ada [Claim your refund](https://bad.example/x)"},
  "sanitise_content_for": ["name"]
}
```

The email reads `Ada [Claim your refund](`, without a link. The response shows what changed, with a backslash before
each Markdown character. The email does not show the backslashes:

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

It works for emails only, and for strings and lists of strings. Do not name values that contain your own Markdown.

### Limits

A service has a rate limit, the requests in 60 seconds for each key type, and a daily limit of messages. A day ends at
midnight UTC. Test keys and simulated recipients do not count towards the daily limit. `RateLimit` and
`RateLimit-Policy` show how many requests are left. `Retry-After` shows when to try again.
"""

_BULK = f"""
Send one template to every row of a table: up to {settings.BULK_MAX_ROWS:,} rows and
{settings.BULK_MAX_BYTES // 1024 // 1024} MiB in one request. The first row names the columns: `email address` or
`phone number`, and one column for each placeholder. All rows are checked before any message is sent, and all are
accepted or none. Errors name the rows.

- Repeat a request that has no answer: equal bytes within 10 minutes, or the same `Idempotency-Key`, get the first
  response.
- Columns of the same name make a list. The columns `reference`, `one_click_unsubscribe_url` and `time zone` set these
  values for a row.
- Bulk messages wait behind the single messages of your service. Callbacks are the same.
- `job_status` is `scheduled`, `pending`, `in progress` and then `finished`, when every row is a message. You can move,
  pause, resume and cancel a bulk send before that. A pause ends as a cancellation after 72 hours.
- The rows can be read as long as the messages of your service, counted from the end of the bulk send.
"""

_READING = f"""
Read a message by its id, or list the newest {PAGE_SIZE} and follow `links.next`.

### Statuses

| Status | Meaning |
|---|---|
| `created` | stored; waiting to be sent, or for its scheduled time, or for another attempt |
| `sending` | accepted by a provider |
| `sent` | a text accepted by a provider that may never report its delivery, for example to another country |
| `pending` | the provider does not know the result yet |
| `delivered` | arrived; or, if the provider of an email reports no deliveries, accepted by the mail server |
| `temporary-failure` | not delivered for a temporary reason: phone off, mailbox full |
| `permanent-failure` | cannot be delivered: the phone number or email address does not exist |
| `technical-failure` | not accepted by any provider, or not in time |
| `cancelled` | cancelled before its time |
"""

_TEMPLATES = """
Staff create templates in the console, with placeholders in double brackets: `((name))`. Each change is a new version.

A version can be a draft first. With a **test** key you can send the draft before it is published
(`"template_version": "draft"` in the body of a send), or any version by its number (`"template_version": 3`). Staff can
also publish a version for test keys only: test keys then use it without naming it, and other keys stay with the
published version. Send values for new placeholders before the new version is published: values without a placeholder
are ignored.

A template may have its text in several languages. Choose one with `language`, such as `"language": "cy"`. If the
template lacks the language, its first one is used. A placeholder may have a default value, which is used if you leave
the placeholder out or send null: its `required` is then false.

### Change templates by the API

A key that may **manage templates** can create, change, archive and restore templates. Staff choose this when they
create the key; other keys get 403. The rules for names and texts are those of the editor, and texts are stored exactly
as you send them. A request changes only the properties that it contains.

- A changed text is published at once. With `"state": "draft"` it becomes the draft, with `"state": "test"` test keys
  use it. `{"state": "published"}` without a text publishes the draft.
- If other calls do not send a value for a new placeholder, publishing is refused with 409 and nothing changes. The
  message names the keys and how many of yesterday's calls would have failed. `"breaks_calls": true` publishes the text.
- `files` has fixed files of an email by placeholder, such as
  `{"files": {"terms": {"file": "…", "filename": "terms.pdf"}}}`, each in the form of a file of a send. `null` removes
  a file. Every single email whose text has the placeholder then contains a link of its own to the file.
- `{"archived": true}` archives a template: sends with it are refused. `{"archived": false}` restores it.
"""

_RECEIVED = f"""
The texts that people sent to the service, newest first, {PAGE_SIZE} at a time.
"""

_UNSUBSCRIBE_REQUESTS = f"""
A template may end with an unsubscribe link. It leads to a page where the recipient confirms, and email programs show a
button for it (RFC 8058), unless you send your own `one_click_unsubscribe_url`. The link works for at least 730 days,
even after its message is deleted.

A confirmed request is stored once for each email. It also suppresses the recipient: your service's later emails with an
unsubscribe link or a `one_click_unsubscribe_url` end without being sent. Other emails are sent: remove the recipient
from your list.
Read the requests here, newest first, {PAGE_SIZE} at a time, or get each request by a callback. Staff see them in the
console, mark them as done, and decide how long done requests are kept: 30 to 730 days.
"""

_SUPPRESSIONS = f"""
A suppressed recipient gets nothing more from your service on one channel. A message to it is accepted and ends at once
as `permanent-failure`, without reaching a provider. A service may reject such sends with 400 instead, except in bulk
sends. Messages of test keys ignore suppressions.

| `reason` | When |
|---|---|
| `hard_bounce` | a mail server or provider reports that the email address cannot receive email |
| `complaint` | the recipient reported an email as spam |
| `unsubscribe` | the recipient unsubscribed; only emails with an unsubscribe link or URL are suppressed |
| `stop` | the recipient sent STOP by text |
| `manual` | you or staff added the recipient |

Read the list newest first, {PAGE_SIZE} at a time. A dry run shows the reason for one message in `suppressed_by`, also
if an operator suppressed the recipient for the whole installation. Test keys can read the list but not change it.
"""

_CALLBACKS = """
Callbacks report events to your service without polling. In the console, staff add endpoints: each has a URL, a bearer
token, a format and the events that it gets.

- An endpoint of the format *Events* gets `{"type", "timestamp", "data"}`. The types are `message.delivered`,
  `message.failed`, `message.sent`, `received_text`, `received_email`, `unsubscribe_request`, `suppression.added`,
  `bulk_send.finished`, `data_set.late`, `data_set.recovered`, `data_set.written`, `data_set.emptied`,
  `alarm.raised` and `alarm.ended`. The data is that of the formats below, a suppression,
  or the numbers of a bulk send. That of an email, without its files, is `id`, `source_email_address`,
  `destination_email_address`, `subject`, `message`, `is_shortened`, `is_automatic`, `notification_id`, `reference` and
  `date_received`. That of a data set is `id`, `data_set`, `path`, `state`, `last_write_at`, `expected_every_seconds`
  and `at`.
- A **delivery status** is sent once for each message when its status is final, also for test keys, but never for
  `sent`, `pending` and simulated recipients. Its body has `id`, `reference`, `to`, `status`, `created_at`,
  `completed_at`, `sent_at`, `notification_type`, `template_id` and `template_version`. If a mail server accepts an
  email and it bounces later, a second callback is sent.
- A **received text message** is sent for each text that the service receives, with `id`, `source_number`,
  `destination_number`, `message` and `date_received`.
- An **unsubscribe request** is sent once for each email whose recipient confirms an unsubscribe request, with `id`,
  `notification_id`, `template_id`, `email_address` and `created_at`.

Each callback is a POST of JSON with `Authorization: Bearer`. Respond with 2xx within 5 seconds. After a network error,
429 or 5xx the callback is repeated after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h and 24 h, each ± 20 %. Any
other response ends it. The response 410, or three days in which every callback fails, pauses the endpoint. An event may
be sent twice: `webhook-id` is the same for all attempts.

To get the final status of one message only, send `"callback": {"url": "https://…", "bearer_token": "…"}` with it. The
body is a delivery status. Signalbox keeps the token encrypted and deletes it with the message.

With a signing secret each callback is signed by [Standard Webhooks](https://www.standardwebhooks.com/). Its libraries
check `webhook-id`, `webhook-timestamp` and `webhook-signature`. A replaced secret also signs for 24 hours.
"""

_TRIAL = f"""
A new service is in trial mode: it sends only to its own team and guest list, {settings.DAILY_LIMIT_TRIAL} texts and
{settings.DAILY_LIMIT_TRIAL} emails a day. Test keys have no such limits. To send to anyone, ask an operator to make the
service live in the console. A service that sends emails needs a reply-to address first.
"""


def _number(normalised: str) -> str:
    return f"`0{normalised.removeprefix('44')}`" if normalised.startswith("44") else f"`{normalised}`"


def _simulated() -> str:
    addresses = [f"`{local}@{settings.SIMULATED_EMAIL_DOMAIN}`" for local in policy.SIMULATED_LOCAL_PARTS]
    named = [*map(_number, sorted(policy.SIMULATED_NUMBERS)), *addresses]
    nothing = "201 after all checks; nothing is stored, counted or sent"
    rows = [f"| {recipient} | any\u00a0key | {nothing} |" for recipient in named]
    rows += [f"| {_number(one)} | test\u00a0key | `{status.value}` |" for one, status in TEST_STATUSES.items()]
    return "\n".join(rows)


_TESTING = f"""
| Recipient | Key | Result |
|---|---|---|
{_simulated()}
| any other | test\u00a0key | `delivered` |

Recipients are compared regardless of their notation. For a team key a simulated recipient must be on the team or the
guest list too. On a development machine `/sandbox/` shows everything that recipients would get, with working links and
files. There you also choose what happens next to a message: a bounce, a complaint, a reply, or a provider that is down.
Signed-in staff see the messages of their services there. They see recipients with the role *See recipients*.
"""

CHAPTERS = [
    Chapter(title="Authentication", text=_AUTHENTICATION.strip()),
    Chapter(title=operations.SENDING, text=_SENDING.strip()),
    Chapter(title=operations.BULK, text=_BULK.strip()),
    Chapter(title=operations.READING, text=_READING.strip()),
    Chapter(title=operations.TEMPLATES, text=_TEMPLATES.strip()),
    Chapter(title=operations.RECEIVED, text=_RECEIVED.strip()),
    Chapter(title=operations.UNSUBSCRIBE_REQUESTS, text=_UNSUBSCRIBE_REQUESTS.strip()),
    Chapter(title=suppression_operations.SUPPRESSIONS, text=_SUPPRESSIONS.strip()),
    Chapter(title="Callbacks", text=_CALLBACKS.strip()),
    Chapter(title="Trial mode", text=_TRIAL.strip()),
    Chapter(title="Testing", text=_TESTING.strip()),
]
