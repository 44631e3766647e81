"""Every error about a file, in the contract's order; nothing is stored after one. Cases F1 to F3.

Source: docs/reference/files.md §2.1, §3; docs/reference/sending-api.md §10.
"""

import base64
from pathlib import Path
from typing import Any

import pytest

from notifications.attachments import validation
from notifications.errors import InvalidFile, InvalidRequest
from notifications.models import Attachment, Notification, Service
from tests.notifications.attachments import samples
from tests.notifications.attachments.sending import (
    file_caller,
    file_of,
    file_template,
    nothing_is_stored,
    send,
    told,
)
from tests.notifications.calling import Caller, asking_for_help, make_caller, sms_template

pytestmark = pytest.mark.django_db

BAD, SHAPE = "BadRequestError", "ValidationError"
TYPES = (
    "Supported types are: '.csv', '.doc', '.docx', '.jpeg', '.jpg', '.json', '.odt', '.pdf', '.png', '.rtf', '.txt', "
    "'.xlsx'"
)
NAME_ENDS = "filename `filename` must end with a file extension. For example, filename.csv"
BOTH = "Do not set a value for `is_csv` if `filename` is set."
CONFIRM = "confirm_email_before_download Unsupported value for confirm_email_before_download: {}."
MiB = 1024 * 1024


@pytest.fixture
def caller() -> Caller:
    return file_caller()


def weeks(shown: str) -> str:
    return (
        f"retention_period Unsupported value for retention_period: {shown}. Supported periods are from 1 to 78 weeks."
    )


SHAPES: list[tuple[dict[str, Any], list[str]]] = [
    ({"other": 1}, ["Additional properties are not allowed (other was unexpected)"]),
    ({"b": 1, "a": None}, ["Additional properties are not allowed (a, b were unexpected)"]),
    ({"file": 5}, ["file 5 is not of type string"]),
    ({"file": None}, ["file None is not of type string"]),
    ({"file": ["a"]}, ["file [a] is not of type string"]),
    ({"file": {"a": 1}}, ["file {a: 1} is not of type string"]),
    ({"is_csv": "bad"}, ["is_csv Unsupported value for is_csv: bad. Use a boolean true or false value."]),
    ({"is_csv": 1}, ["is_csv Unsupported value for is_csv: 1. Use a boolean true or false value."]),
    ({"confirm_email_before_download": "potato"}, [f"{CONFIRM.format('potato')} Use a boolean true or false value."]),
    ({"confirm_email_before_download": 0}, [f"{CONFIRM.format('0')} Use a boolean true or false value."]),
    *[
        ({"retention_period": value}, [weeks(shown)])
        for value, shown in [
            ("79 weeks", "79 weeks"),
            ("0 weeks", "0 weeks"),
            ("100 weeks", "100 weeks"),
            ("-1 weeks", "-1 weeks"),
            ("1.5 weeks", "1.5 weeks"),
            ("two weeks", "two weeks"),
            ("2weeks", "2weeks"),
            ("2  weeks", "2  weeks"),
            ("2 weekss", "2 weekss"),
            ("2 wee\u212as", "2 wee\u212as"),
            ("\u0662 weeks", "\u0662 weeks"),
            ("", ""),
            (3, "3"),
            (True, "True"),
            (["1 week"], "[1 week]"),
        ]
    ],
    ({"filename": 5}, [NAME_ENDS]),
    ({"filename": ""}, [NAME_ENDS]),
    ({"filename": "report"}, [NAME_ENDS]),
    ({"filename": False}, [NAME_ENDS]),
    ({"filename": "a.csv", "is_csv": True}, [BOTH]),
    ({"filename": None, "is_csv": None}, [BOTH]),
    (
        {"file": 7, "x": 1, "is_csv": 2, "confirm_email_before_download": 3, "retention_period": 4, "filename": 5},
        [
            "Additional properties are not allowed (x was unexpected)",
            "file 7 is not of type string",
            "is_csv Unsupported value for is_csv: 2. Use a boolean true or false value.",
            f"{CONFIRM.format('3')} Use a boolean true or false value.",
            weeks("4"),
            NAME_ENDS,
            BOTH,
        ],
    ),
]


@pytest.mark.parametrize(("options", "messages"), SHAPES, ids=[str(options)[:60] for options, _ in SHAPES])
def test_stage_2_reports_all_errors_of_one_object(options: dict[str, Any], messages: list[str]) -> None:
    with pytest.raises(InvalidRequest) as refused:
        validation.parse({**file_of(), **options})

    assert [(error.kind, error.message) for error in refused.value.errors] == [(SHAPE, text) for text in messages]


@pytest.mark.parametrize(
    ("period", "expected"),
    [(None, 26), ("1 week", 1), ("1 weeks", 1), (" 78 WEEKS\n", 78), ("04 weeks", 4), ("26 Week", 26)],
)
def test_valid_periods_are_accepted(period: str | None, expected: int) -> None:
    assert validation.parse(file_of(retention_period=period)).weeks == expected


def test_null_counts_as_a_missing_option() -> None:
    request = validation.parse(file_of(filename=None, confirm_email_before_download=None, retention_period=None))

    assert (request.filename, request.asks_for_email_address, request.weeks, request.is_csv) == (None, True, 26, None)
    assert validation.parse(file_of(is_csv=None)).is_csv is None


def test_an_echoed_value_is_cut() -> None:
    with pytest.raises(InvalidRequest) as refused:
        validation.parse({"file": ["x" * 1_000_000]})

    assert len(refused.value.errors[0].message) < 1100


ALPHABET = base64.b64encode(bytes(range(256))).decode()
NOT_BASE64 = {
    "a foreign character": "QUJD!A==",
    "padding left out": "QUI",
    "padding too much": "QUJD=",
    "a whole group of padding": "QUJD====",
    "padding in the middle": "QQ==QUJD",
    "URL-safe letters": ALPHABET.replace("+", "-").replace("/", "_"),
    "a data URL": "data:text/plain;base64,QUJD",
    "letters of another script": "QUJДA===",
    "a wide letter": "\uff21\uff35\uff23\uff24",
    "one letter": "a",
    "a form feed": "QU\fJD",
    "a no-break space": "QU\u00a0JD",
}


@pytest.mark.parametrize("encoded", NOT_BASE64.values(), ids=NOT_BASE64)
@pytest.mark.fault("F1", "F2")
def test_stage_5_rejects_invalid_base64(encoded: str) -> None:
    with pytest.raises(InvalidFile, match=r"^Document is not base64 encoded$"):
        validation.decode(validation.parse({"file": encoded}))


@pytest.mark.parametrize("wrap", ["\n", "\r\n", " ", "\t", "\n\n \t"])
def test_wrapped_base64_is_fine(wrap: str) -> None:
    data = bytes(range(256)) * 3
    encoded = base64.b64encode(data).decode()
    wrapped = wrap.join(encoded[at : at + 76] for at in range(0, len(encoded), 76)) + wrap

    assert validation.decode(validation.parse({"file": wrapped})) == data


NAMES = {
    "a" * 96 + ".pdf": "",
    "a" * 97 + ".pdf": "`filename` cannot be longer than 100 characters",
    "invoice\u202egpj.exe": "`filename` cannot contain control or text direction characters",
    "a\u2066b.pdf": "`filename` cannot contain control or text direction characters",
    "a\r\nSet-Cookie: x.pdf": "`filename` cannot contain control or text direction characters",
    "a\x7f.pdf": "`filename` cannot contain control or text direction characters",
    "a\x85.pdf": "`filename` cannot contain control or text direction characters",
    "a\u2028.pdf": "`filename` cannot contain control or text direction characters",
    "movie.gif": f"Unsupported file type '.gif'. {TYPES}",
    "MOVIE.GIF": f"Unsupported file type '.gif'. {TYPES}",
    "report.pdf.exe": f"Unsupported file type '.exe'. {TYPES}",
    "report.": f"Unsupported file type '.'. {TYPES}",
    "a.pdf ": f"Unsupported file type '.pdf '. {TYPES}",
    "../../x.pdf": "",
    "..\\x.pdf": "",
    'quo"te.pdf': "",
    ".pdf": "",
    "x.PDF": "",
    "CON.pdf": "",
    "a.b.c.pdf": "",
    "\U0001f4c4 Bericht.pdf": "",
    "звіт.pdf": "",
}


@pytest.mark.parametrize(("name", "message"), NAMES.items(), ids=[ascii(name) for name in NAMES])
@pytest.mark.fault("F3")
def test_stage_5_checks_names(name: str, message: str) -> None:
    request = validation.parse(file_of(samples.PDF, filename=name))

    if not message:
        assert validation.name_for(request, validation.decode(request)) == name
        return
    with pytest.raises(InvalidFile) as refused:
        validation.decode(request)
    assert refused.value.message == message


def test_a_generated_name_is_random_and_has_the_right_extension() -> None:
    request = validation.parse(file_of(samples.PDF))
    names = {validation.name_for(request, samples.PDF) for _ in range(20)}

    assert len(names) == 20
    assert all(len(name) == 12 and name.endswith(".pdf") and name[:8].isalnum() for name in names)


WHOLE_ROAD: dict[str, tuple[list[dict[str, Any]], str]] = {
    "2 MiB": ([file_of(b"a" * 2 * MiB)], "Uploaded file exceeds file size limit"),
    "2 MiB and a byte": ([file_of(b"a" * (2 * MiB + 1))], "Uploaded file exceeds file size limit"),
    "empty": ([file_of(b"")], "Document must not be empty"),
    "eleven": ([file_of()] * 11, "Too many files: 11. An email can carry up to 10."),
    "EICAR": ([file_of(samples.EICAR, filename="a.txt")], "File did not pass the virus scan"),
    "EICAR as the second, in a PDF": (
        [file_of(), file_of(samples.PDF + samples.EICAR, filename="b.pdf")],
        "File did not pass the virus scan",
    ),
    "a virus is called one whatever it pretends to be": (
        [file_of(b"MZ\0" + samples.EICAR, filename="a.png")],
        "File did not pass the virus scan",
    ),
    "a zip": (
        [file_of(samples.archive({"a": "b"}), filename="a.docx")],
        f"Unsupported file type 'application/zip'. {TYPES}",
    ),
    "no type, no name": ([file_of(b"MZ\0\1")], f"Unsupported file type 'application/octet-stream'. {TYPES}"),
    "another type than its name": (
        [file_of(samples.PDF, filename="a.png")],
        "Unsupported file type 'application/pdf' for a name that ends with '.png'. It must end with '.pdf'",
    ),
    "a PDF that is said to be a table": (
        [file_of(samples.PDF, filename="list.CSV")],
        "Unsupported file type 'application/pdf' for a name that ends with '.csv'. It must end with '.pdf'",
    ),
    "a text that is said to be a PDF": (
        [file_of(samples.TEXT, filename="a.pdf")],
        "Unsupported file type 'text/plain' for a name that ends with '.pdf'. It must end with '.txt'",
    ),
    "stages are over for all files before the next begins: base64 before type": (
        [file_of(samples.PDF, filename="a.png"), {"file": "a"}],
        "Document is not base64 encoded",
    ),
    "the first bad file of a stage answers": (
        [file_of(), file_of(b""), {"file": "a"}],
        "Document must not be empty",
    ),
    "within one file: base64 before the name": (
        [{"file": "a", "filename": "x" * 200 + ".gif"}],
        "Document is not base64 encoded",
    ),
    "the name before the size": (
        [file_of(b"a" * 3 * MiB, filename="x.gif")],
        f"Unsupported file type '.gif'. {TYPES}",
    ),
    "the number before base64": ([{"file": "a"}] * 11, "Too many files: 11. An email can carry up to 10."),
}


@pytest.mark.parametrize(("files", "message"), WHOLE_ROAD.values(), ids=WHOLE_ROAD)
@pytest.mark.fault("F1", "F2")
def test_stages_3_to_7_reject_over_the_api(
    caller: Caller, blobs: Path, files: list[dict[str, Any]], message: str
) -> None:
    response = send(asking_for_help(caller), *files)

    assert (response.status_code, told(response)) == (400, [(BAD, message)])
    assert response.json()["errors"][0]["fix"]
    assert nothing_is_stored(blobs)


def test_one_byte_less_than_2_mib_is_accepted(caller: Caller) -> None:
    assert send(caller, file_of(b"a" * (2 * MiB - 1))).status_code == 201


def test_ten_files_are_accepted(caller: Caller) -> None:
    assert send(caller, *[file_of()] * 10).status_code == 201
    assert Attachment.objects.count() == 10


def test_the_shape_is_checked_before_the_contact_and_the_contact_before_the_content(blobs: Path) -> None:
    caller = make_caller()
    settings_url = f"http://127.0.0.1:8000/admin/notifications/service/{caller.service.id}/"

    shape = send(caller, file_of(filename="x"))
    contact = send(caller, {"file": "not base64"})

    assert told(shape) == [(SHAPE, NAME_ENDS)]
    message = f"Send files by email has not been set up - add contact details for your service at {settings_url}"
    assert told(contact) == [(BAD, message)]
    assert nothing_is_stored(blobs)


def test_the_recipient_is_checked_before_the_file(caller: Caller) -> None:
    Service.objects.filter(pk=caller.service.pk).update(live=False)

    response = send(caller, {"file": 5})

    assert "trial mode" in told(response)[0][1]


def test_a_text_message_carries_no_file(caller: Caller) -> None:
    response = caller.send_sms(sms_template(caller, "See ((doc))"), personalisation={"doc": file_of()})

    assert told(response) == [(BAD, "Can only send a file by email")]


def test_an_object_without_a_file_and_one_in_a_list_are_ordinary_values(caller: Caller) -> None:
    template = file_template(caller, 2)
    values = {"doc": {"name": "Ana"}, "doc2": [file_of(b"x")]}

    response = caller.send_email(template, personalisation=values)

    assert response.status_code == 201
    assert '{"name": "Ana"}' in response.json()["content"]["body"]
    assert not Attachment.objects.exists()


def test_a_file_without_a_placeholder_is_stored(caller: Caller, blobs: Path) -> None:
    template = file_template(caller)
    refused = caller.send_email(template, personalisation={"doc": "x", "other": file_of(b"")})
    taken = caller.send_email(template, personalisation={"doc": "x", "other": file_of()})

    assert told(refused) == [(BAD, "Document must not be empty")]
    assert taken.status_code == 201
    assert Attachment.objects.count() == Notification.objects.count() == 1


def test_an_email_that_is_too_long_with_its_link_is_rejected_before_anything_is_stored(
    caller: Caller, blobs: Path
) -> None:
    template = file_template(caller, 2)

    response = caller.send_email(template, personalisation={"doc": file_of(), "doc2": "x" * 1_999_950})

    assert told(response)[0][1].startswith("Your message is too long. Emails cannot be longer than 2000000 bytes.")
    assert nothing_is_stored(blobs)


def test_all_checks_apply_to_simulated_recipients_too(caller: Caller, blobs: Path) -> None:
    address = "simulate-delivered@notifications.service.gov.uk"

    response = send(caller, file_of(samples.EICAR), email_address=address)

    assert told(response) == [(BAD, "File did not pass the virus scan")]
    assert nothing_is_stored(blobs)
