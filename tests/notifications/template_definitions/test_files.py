"""Template files: front matter and the text, byte for byte. Source: docs/reference/template-files.md §1."""

import json
import uuid
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from notifications.template_definitions import fixed_files
from notifications.template_definitions.definition import Definition, FixedFile
from notifications.template_definitions.files import FileInvalid, read, write

STORABLE = st.characters(codec="utf-8", exclude_characters="\0")
PIECES = st.sampled_from(["---", "---\n", "\n---\n", "id: 1\n", "\r\n", "\r", "\n", " ", "\t", "\ufeff", "\u2028", "#"])
TEXTS = st.lists(PIECES | st.text(STORABLE, max_size=20), max_size=8).map("".join)

EMAILS = st.builds(
    Definition,
    id=st.none() | st.uuids(),
    name=TEXTS,
    type=st.just("email"),
    subject=TEXTS,
    unsubscribe_link=st.booleans(),
    respect_quiet_hours=st.booleans(),
    redact_personalisation=st.booleans(),
    archived=st.booleans(),
    tags=st.lists(TEXTS, max_size=3),
    defaults=st.dictionaries(TEXTS, TEXTS, max_size=3),
    translations=st.lists(
        st.fixed_dictionaries({"language": st.just("cy"), "subject": st.none() | TEXTS, "content": TEXTS}), max_size=2
    ),
    files=st.dictionaries(
        TEXTS,
        st.builds(
            FixedFile,
            data=st.binary(max_size=20),
            filename=TEXTS,
            confirm_email_before_download=st.booleans(),
            retention_period=TEXTS,
            path=st.sampled_from(["", "terms.pdf", "Terms.pdf"]),
        ),
        max_size=4,
    ),
    content=TEXTS,
)
TEXT_MESSAGES = st.builds(Definition, id=st.uuids(), name=TEXTS, type=st.just("sms"), content=TEXTS)


@given(EMAILS | TEXT_MESSAGES)
def test_a_template_is_read_exactly_as_it_was_written(definition: Definition) -> None:
    contents = fixed_files.contents(definition.files)

    assert read(write(definition), contents.__getitem__) == definition
    assert len({name.lower() for name in contents}) == len(contents)
    assert all(name == name.strip(".") and not set(name) & set("/\\") for name in contents)


@given(EMAILS)
def test_the_front_matter_is_yaml(definition: Definition) -> None:
    front_matter, _, _ = write(definition).decode().removeprefix("---\n").partition("\n---\n")

    loaded = yaml.safe_load(front_matter)

    assert (loaded["name"], loaded["subject"]) == (definition.name, definition.subject)


def test_a_file_is_readable() -> None:
    identifier = uuid.UUID("f163deaf-2d3f-4ec6-98fc-f23fa511518f")
    definition = Definition(
        id=identifier, name="Visit – “new”", type="email", subject="Your ((visit))", content="# Hello\n\nDear all"
    )

    assert write(definition).decode().splitlines() == [
        "---",
        'id: "f163deaf-2d3f-4ec6-98fc-f23fa511518f"',
        'name: "Visit – “new”"',
        'type: "email"',
        'subject: "Your ((visit))"',
        "unsubscribe_link: false",
        "respect_quiet_hours: false",
        "redact_personalisation: false",
        "archived: false",
        'language: "en"',
        "---",
        "# Hello",
        "",
        "Dear all",
    ]


def test_a_file_may_leave_out_what_has_a_default_and_its_last_line_break() -> None:
    expected = Definition(name="Code", type="sms", content="Your code is ((code)).")

    for data in (
        b'---\nname: "Code"\ntype: "sms"\n---\nYour code is ((code)).',
        b'\xef\xbb\xbf---\ntype: "sms"\nname: "Code"\narchived: false\n---\nYour code is ((code)).\n',
    ):
        assert read(data) == expected


FILES = {
    "terms": FixedFile(data=b"a,b", filename="Terms.CSV", retention_period="10 weeks"),
    "TERMS 2": FixedFile(data=b"c,d", filename="x.csv", path="own name.csv"),
}


def test_fixed_files_are_listed_with_their_names_in_the_folder() -> None:
    definition = Definition(name="Visit", type="email", subject="Hi", files=FILES, content="((terms))")

    assert fixed_files.contents(FILES) == {"terms.csv": b"a,b", "own name.csv": b"c,d"}
    [line] = [line for line in write(definition).decode().splitlines() if line.startswith("files")]
    assert json.loads(line.removeprefix("files: ")) == {
        "terms": {
            "file": "terms.csv",
            "filename": "Terms.CSV",
            "confirm_email_before_download": True,
            "retention_period": "10 weeks",
        },
        "TERMS 2": {
            "file": "own name.csv",
            "filename": "x.csv",
            "confirm_email_before_download": True,
            "retention_period": "26 weeks",
        },
    }


EMAIL = '---\nname: "A"\ntype: "email"\nsubject: "Hi"\n'
BASE = '---\nname: "A"\ntype: "sms"\n'


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ("", "The first line must be ---."),
        ("Hello", "The first line must be ---."),
        ("---\r\n", "The lines end with CRLF. Save the file with LF, and turn off the conversion of line ends."),
        (BASE, "A line --- must end the front matter."),
        (BASE + "--- \n", "A line --- must end the front matter."),
        (BASE + "x\n---\n", 'Line 4 must be a name, a colon, a space and a value, such as `name: "Welcome"`.'),
        (BASE + 'name: "B"\n---\n', "Line 4: name is there twice."),
        (BASE + "archived: yes\n---\n", "Line 4: archived must be true or false."),
        (BASE + "archived: 1\n---\n", "Line 4: archived must be true or false."),
        (BASE + "id: 7\n---\n", "Line 4: id must be text in double quotes."),
        (BASE + 'id: "7"\n---\n', "Line 4: id must be a UUID. Leave the line out for a new template."),
        (
            BASE + "tags: [1]\n---\n",
            'Line 4: tags must be a list such as ["text"].',
        ),
        (BASE + 'defaults: {"a": 1}\n---\n', 'Line 4: defaults must be pairs such as {"name": "text"}.'),
        (
            EMAIL + "files: []\n---\n",
            'Line 5: files must be pairs such as {"terms": {"file": "terms.pdf", "filename": "terms.pdf"}}.',
        ),
        (
            EMAIL + 'files: {"terms": {"file": "a.csv"}}\n---\n',
            'Line 5: files must be pairs such as {"terms": {"file": "terms.pdf", "filename": "terms.pdf"}}.',
        ),
        *(
            (
                EMAIL + f'files: {{"terms": {{"file": {json.dumps(path)}, "filename": "a.csv"}}}}\n---\n',
                "files: the file of terms must be a name in the folder beside the template.",
            )
            for path in ("", "..", "../a.csv", "/etc/a.csv", "a\\b.csv", "C:a.csv", ".a.csv")
        ),
        (EMAIL + 'files: {"t": {"file": "a.csv", "filename": "a.csv"}}\n---\n', "There is no file a.csv."),
        (BASE + 'files: {"t": {"file": "a.csv", "filename": "a.csv"}}\n---\n', "files is for emails only."),
        (BASE + 'subject: "Hi"\n---\n', "subject is for emails only."),
        (BASE + "unsubscribe_link: true\n---\n", "unsubscribe_link is for emails only."),
        ('---\ntype: "sms"\n---\n', "The front matter has no name."),
        ('---\nname: "A"\ntype: "letter"\n---\n', "type must be email or sms."),
        ('---\nname: "A"\ntype: "email"\n---\n', "The front matter has no subject."),
        ('---\nname: "\\ud800"\n---\n', "Line 2: name must be text in double quotes."),
        ('---\nname: "\\u0000"\n---\n', "Line 2: name must be text in double quotes."),
        (BASE + "---\n\0", "The file contains U+0000."),
        (BASE + "tags: " + "[" * 100_000 + "\n---\n", 'Line 4: tags must be a list such as ["text"].'),
        (BASE + "tags: " + "1" * 10_000 + "\n---\n", 'Line 4: tags must be a list such as ["text"].'),
        (
            BASE + "defaults: " + '{"a": ' * 50_000 + "\n---\n",
            'Line 4: defaults must be pairs such as {"name": "text"}.',
        ),
        (
            "---\n" + "x\n" * 2_000_000,
            'Line 2 must be a name, a colon, a space and a value, such as `name: "Welcome"`.',
        ),
        ("---\n" + "x" * 50_000_000, "The file has more than 50 MB."),
    ],
)
def test_a_wrong_file_names_its_line(data: str, message: str) -> None:
    with pytest.raises(FileInvalid) as raised:
        read(data.encode())

    assert str(raised.value) == message


@pytest.mark.parametrize(("data", "start"), [(b"---\n\xff", "The file is not in UTF-8.")])
def test_other_encodings_are_refused(data: bytes, start: str) -> None:
    with pytest.raises(FileInvalid, match=start):
        read(data)


@given(st.binary(max_size=60) | st.text(max_size=60).map(lambda text: ("---\n" + text).encode(errors="ignore")))
def test_any_bytes_are_read_or_refused(data: Any) -> None:
    try:
        read(data)
    except FileInvalid:
        return
