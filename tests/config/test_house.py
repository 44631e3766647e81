"""Rules for the whole repository: migrations, settings, and the documents that name them.

`python -m tests` and `make lint` check style, types and layers.
"""

import ast
import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from celery.app.defaults import NAMESPACES, flatten
from django.conf import global_settings, settings
from django.core.management import call_command, get_commands

from tests.servers import ROOT

PRODUCT = ("config", "datasets", "notifications")
PRODUCTION = {
    "ENVIRONMENT": "production",
    "ALLOW_EMBEDDED": "on",
    "SECRET_KEY": "mZ0-for-this-check-alone-q8Vw3nT5xR7yB2kLp9sD4fG6hJ1",
    "BASE_URL": "https://signalbox.example.gov.uk",
    "EMAIL_DOMAIN": "example.gov.uk",
    "PROVIDERS": "smtp-1=smtp://mail.example.gov.uk",
    "SCANNER": "clamd:unix:/run/clamav/clamd.ctl",
}
WORD = re.compile(r"(?<![\"'\w])[A-Z]\w*")


def run(*command: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, cwd=ROOT, env={**os.environ, **environment}, capture_output=True, text=True, timeout=580
    )


def product_files() -> list[Path]:
    return [path for area in PRODUCT for path in (ROOT / area).rglob("*.py") if "migrations" not in path.parts]


def test_no_migration_is_missing(db, capsys):
    try:
        call_command("makemigrations", check_changes=True, dry_run=True)
    except SystemExit:
        pytest.fail(capsys.readouterr().out)


def test_a_valid_production_has_no_warnings():
    done = run(
        sys.executable, "manage.py", "check", "--deploy", "--fail-level", "WARNING", TRUSTED_PROXIES="1", **PRODUCTION
    )

    assert done.returncode == 0, done.stdout + done.stderr


# Names that Django or kombu requires, and those of an error or a schema that each of the two APIs has.
SHARED_NAMES = {
    *("Command", "DatabaseWrapper", "Channel", "Transport", "Meta", "Media"),
    *("TokenMissing", "MethodNotAllowed", "TooManyValues", "TooManyRows", "TooManyColumns"),
    *("AccessToken", "DataSets", "Placeholder"),
    "Needs",
}


def test_a_class_name_exists_once():
    names = [
        node.name
        for path in product_files()
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ClassDef) and node.name not in SHARED_NAMES
    ]

    assert [name for name, count in Counter(names).items() if count > 1] == []


def test_no_product_file_is_longer_than_300_lines():
    lines = {str(path.relative_to(ROOT)): len(path.read_text().splitlines()) for path in product_files()}

    assert {path: count for path, count in lines.items() if count > 300} == {}


def test_every_setting_is_used_by_a_library_or_the_code():
    ours = [line for path in product_files() for line in path.read_text().splitlines()]
    libraries = ("REST_FRAMEWORK", "SPECTACULAR_SETTINGS", "UNFOLD", "WHITENOISE_", "CELERY_", "AXES_")
    djangos = {*dir(global_settings), "ROOT_URLCONF", "SETTINGS_MODULE"}
    names = [name for name in dir(settings) if name.isupper() and name not in djangos]

    # A name at the start of a line is an assignment. Between quotes it is part of a message.
    used = {word for line in ours for word in set(WORD.findall(line)) - {re.split(r"\W", line, maxsplit=1)[0]}}
    unknown = [name for name in names if not name.startswith(libraries) and name not in used]

    assert " ".join(unknown) == ""


def test_every_celery_setting_is_one_of_celerys():
    known = {name for name, option in flatten(NAMESPACES)}
    ours = {name.removeprefix("CELERY_").lower() for name in dir(settings) if name.startswith("CELERY_")}

    assert ours - known == set()


def environment_variables() -> set[str]:
    """Return every name in `env.<kind>("NAME")` or `secret("NAME")`."""
    names = set()
    for path in (ROOT / "config").rglob("*.py"):
        for call in (node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call)):
            is_reader = isinstance(call.func, ast.Attribute) and ast.unparse(call.func.value) == "env"
            is_secret = isinstance(call.func, ast.Name) and call.func.id == "secret"
            first = call.args[0] if call.args else None
            if (is_reader or is_secret) and isinstance(first, ast.Constant) and str(first.value).isupper():
                names.add(str(first.value))
    return names


def test_every_environment_variable_is_in_the_example():
    example = set(re.findall(r"^#?([A-Z_0-9]+)=", (ROOT / ".env.example").read_text(), re.MULTILINE))

    assert example == environment_variables()


def test_only_one_file_reads_the_environment():
    readers = {path.relative_to(ROOT).as_posix() for path in product_files() if "os.environ" in path.read_text()}

    # The two entry points set the settings module before settings exist.
    assert readers <= {"config/env.py", "config/queue/app.py", "config/wsgi.py"}


def test_every_command_of_the_readme_exists():
    readme = (ROOT / "README.md").read_text()
    commands = set(re.findall(r"manage\.py ([a-z_]+)", readme))
    targets = set(re.findall(r"^make ([a-z]+)", readme, re.MULTILINE))
    rules = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))

    assert {"run", "test"} <= targets <= rules
    assert commands <= set(get_commands())


def _pages():
    return {path.relative_to(ROOT / "docs").as_posix(): path.read_text() for path in (ROOT / "docs").rglob("*.md")}


def test_the_documents_name_each_command_of_the_project_and_no_other():
    own = {name for name, app in get_commands().items() if str(app).partition(".")[0] in PRODUCT}
    text = "\n".join([(ROOT / "README.md").read_text(), *_pages().values()])
    named = set(re.findall(r"manage\.py ([a-z_]+)", text))

    assert {name for name in own - named if f"`{name}`" not in text} == set()
    assert named - set(get_commands()) == set()


def test_each_page_of_the_documents_is_linked_from_the_index():
    index = (ROOT / "docs" / "index.md").read_text() + (ROOT / "README.md").read_text()

    assert {page for page in _pages() if f"{page})" not in index and page != "index.md"} == set()


def test_the_readme_is_short():
    assert len((ROOT / "README.md").read_text().splitlines()) <= 150


TEMPLATES = ROOT / "templates"
INCLUDED = re.compile(r'{% include "([^"]+)"[^%]*%}')


def with_included(template: str) -> str:
    def text(match: re.Match[str]) -> str:
        path = TEMPLATES / match[1]
        return with_included(path.read_text()) if path.exists() else ""

    return INCLUDED.sub(text, template)


def test_each_section_of_a_page_has_a_heading():
    without = []
    for path in TEMPLATES.rglob("*.html"):
        sections: list[tuple[str, int]] = []
        page = with_included(path.read_text())
        for tag in re.finditer(r"</?(?:section|article)\b[^>]*>", page):
            if not tag[0].startswith("</"):
                sections.append((tag[0], tag.end()))
                continue
            opening, start = sections.pop()
            if not re.search(r"<h[1-6]\b", page[start : tag.start()]):
                without.append(f"{path.relative_to(TEMPLATES)}: {opening}")

    assert without == []


def test_no_template_writes_microseconds_into_html_times():
    """`date:"c"` writes six digits. Source: https://html.spec.whatwg.org/#valid-time-string."""
    found = [
        f"{path.relative_to(ROOT)}: {time}"
        for path in (ROOT / "templates").rglob("*.html")
        for time in re.findall(r"""datetime="[^"]*date:['"]c['"]""", path.read_text())
    ]

    assert found == []


OTHER_FORMS_IN_TEMPLATES = re.compile(
    r"\|\s*(?:date|time|timesince|timeuntil|floatformat|filesizeformat|intcomma|intword|naturaltime|naturalday)\b"
    r"|\}\} ?%(?![\"}])"
)
OTHER_FORMS_IN_CODE = re.compile(
    r"%-d|%[aAbBIp](?![a-z])|(?<!T)(?<!-%d )%H:%M|:,(?:\.\d+f|\.\{\w+\}f)?\}|:\.\d+f\}|[0-9}] % |[0-9}] %[.\"'<]"
    r"|\b(?:timesince|timeuntil|filesizeformat|intcomma|naturaltime|date_format|time_format|number_format|floatformat)\b"
)
# What people read in the console, on public pages and in emails. Charts and saved queries have a form of their own.
READ_BY_PEOPLE = (
    *("config/console", "notifications/admin", "datasets/admin", "datasets/dashboards", "notifications/download"),
    *("notifications/delivery/notices", "notifications/delivery/invites.py", "notifications/models", "datasets/models"),
    *("config/jobs", "datasets/alarms", "notifications/sandbox"),
)


def test_pages_write_numbers_and_times_in_one_form():
    """`config/formats.py` and its filters own the form. Source: docs/reference/console.md §1.1."""
    pages = [(path, OTHER_FORMS_IN_TEMPLATES) for path in TEMPLATES.rglob("*.html")]
    code = [
        (path, OTHER_FORMS_IN_CODE)
        for path in product_files()
        if path.relative_to(ROOT).as_posix().startswith(READ_BY_PEOPLE)
    ]

    found = [
        f"{path.relative_to(ROOT)}:{number}: {line.strip()}"
        for path, other_form in [*pages, *code]
        for number, line in enumerate(path.read_text().splitlines(), start=1)
        if other_form.search(line)
    ]

    assert len(code) > 100
    assert found == []
