"""The calls that the console shows work as pasted."""

import json
import subprocess
import sys
import uuid

import pytest

from notifications.models import Channel
from notifications.submission.templates import examples
from tests import factories


@pytest.fixture
def template(request, db):
    """Create an email template with odd placeholders, or a text message without placeholders."""
    if request.param is Channel.EMAIL:
        return factories.make_template(content='Dear ((it\'s a "name")) of ((straße))', subject="For ((who))")
    return factories.make_template(channel=Channel.SMS, content="The tide is high")


@pytest.fixture
def key(service, template):
    """Return a test key of the running service, which has a template of the same id and content."""
    secret, version = str(uuid.uuid4()), template.versions.get()
    words = {"id": str(template.pk), "type": template.type, "name": template.name, "content": version.content}
    subject = {"subject": version.subject} if version.subject else {}
    document = {
        "name": template.service.name,
        "id": str(template.service_id),
        "templates": [{**words, **subject}],
        "api_keys": [{"name": "an-app", "type": "test", "secret": secret}],
    }
    done = service.manage("provision", "-", input=json.dumps({"services": [document]}))
    assert done.returncode == 0, done.stderr
    return f"an-app-{template.service_id}-{secret}"


BOTH = pytest.mark.parametrize("template", [Channel.EMAIL, Channel.SMS], indirect=True)


@BOTH
def test_the_shell_example_sends_a_message(service, template, key):
    text = examples.shell(service.url, key, template)

    done = subprocess.run(["sh", "-c", text], capture_output=True, text=True, check=False, timeout=60)

    assert json.loads(done.stdout)["template"]["id"] == str(template.pk), done.stdout + done.stderr


@BOTH
def test_the_python_example_sends_a_message(service, template, key):
    text = examples.python(service.url, key, template)

    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=False, timeout=60)

    assert str(template.pk) in done.stdout, done.stderr


def test_without_a_template_the_example_says_what_is_missing():
    assert "the id of a template (make one first)" in examples.shell("http://here", examples.PLACE_FOR_KEY, None)


@pytest.mark.parametrize(
    ("language", "written"),
    [
        (
            "curl",
            '"personalisation": {"who": "Ana", "things": ["rope", "a \\"hook\\""], "late": "no", "form": "a form"}',
        ),
        ("Python", "personalisation={'who': 'Ana', 'things': ['rope', 'a \"hook\"'], 'late': 'no', 'form': 'a form'}"),
        ("Node", '"things":["rope","a \\"hook\\""]'),
        ("Java", '"things", List.of("rope", "a \\"hook\\""), "late", "no"'),
        (".NET", '{ "things", new[] { "rope", "a \\"hook\\"" } }'),
        ("PHP", "'things' => ['rope', 'a \"hook\"']"),
        ("Ruby", "'things' => ['rope', 'a \"hook\"']"),
    ],
)
def test_an_example_sends_the_stored_example_values(db, language, written):
    template = factories.make_template(content="((things)) ((late??late)) ((form))", subject="For ((who))")
    template.samples = {
        "Who": {"kind": "text", "value": "Ana"},
        "things": {"kind": "list", "value": 'rope\na "hook"'},
        "late": {"kind": "no", "value": ""},
        "form": {"kind": "file", "value": ""},
    }

    text = examples.LANGUAGES[language]("https://notify.example.org", "the-key", template)

    assert written.replace(" ", "") in text.replace(" ", "")


def test_an_example_sends_yes_for_a_condition_without_an_example_value(db):
    template = factories.make_template(content="((late??late))", subject="Hello")

    assert '"personalisation": {"late": "yes"}' in examples.shell("https://a.example", "the-key", template)
