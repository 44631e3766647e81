"""What is recognised without a setting, what is asked, and how forms, numbers and words are read."""

import pytest

from datasets.imports.reading import settings as import_settings
from datasets.imports.reading.cells import UnreadableFile
from datasets.imports.reading.settings import WrongSettings
from tests.datasets.imports.reading import read


def table(*values: str, name: str = "x") -> str:
    """Return a CSV file with these values, each with a time."""
    lines = (f'2024-01-{day:02},"{value}"\n' for day, value in enumerate(values, 1))
    return f"_timestamp,{name}\n" + "".join(lines)


def asked(found, code):
    return next(question for question in found.questions if question["code"] == code)


@pytest.mark.parametrize(
    ("values", "kind", "stored"),
    [
        (["1", "-20", "0"], "integer", [1, -20, 0]),
        (["12345678901234567890123", "1"], "integer", [12345678901234567890123, 1]),
        (["1.5", "2", "-0.25"], "number", [1.5, 2, -0.25]),
        (["0.123", "5.1234"], "number", [0.123, 5.1234]),
        (["1.234", "12.5"], "number", [1.234, 12.5]),
        (["true", "false"], "boolean", [True, False]),
        (["2024-01-31", "2024-02-29"], "date", ["2024-01-31", "2024-02-29"]),
        (["2024-01-31T09:00:00Z", "2024-01-31T09:00:00.50+01:00"], "time", None),
        (["31.01.2024", "01.02.2024"], "date", ["2024-01-31", "2024-02-01"]),
        (["01/31/2024", "12/01/2024"], "date", ["2024-01-31", "2024-12-01"]),
        (["2024/01/31"], "date", ["2024-01-31"]),
        (["31.01.2024 09:30", "1.2.2024 9:30"], "time", ["2024-01-31T09:30:00Z", "2024-02-01T09:30:00Z"]),
        (["00123", "1"], "text", ["00123", "1"]),
        (["+1", "2"], "text", ["+1", "2"]),
        (["12E4", "1"], "text", ["12E4", "1"]),
        (["25%", "5%"], "text", ["25%", "5%"]),
        (["€ 5", "€ 6"], "text", ["€ 5", "€ 6"]),
        (["True", "FALSE"], "text", ["True", "FALSE"]),
        (["0.123456789012345678", "1"], "text", ["0.123456789012345678", "1"]),
        (["1", "n/a"], "text", ["1", "n/a"]),
        (["2024-02-30", "2024-01-01"], "text", ["2024-02-30", "2024-01-01"]),
        (["1,234.50", "2"], "text", ["1,234.50", "2"]),
        (["  a ", "b"], "text", ["  a ", "b"]),
        ([" 1", "2 "], "integer", [1, 2]),
        (["-0", "1"], "text", ["-0", "1"]),
    ],
)
def test_a_column_is_recognised(values, kind, stored):
    found = read(table(*values))

    assert found.codes == []
    assert found.settings["columns"]["x"]["type"] == kind
    assert found.column("x") == (stored or ["2024-01-31T09:00:00Z", "2024-01-31T08:00:00.50Z"])


@pytest.mark.parametrize(
    ("values", "code", "choices"),
    [
        (["03/04/2024"], "dates", [{"type": "date", "form": "dd/mm/yyyy"}, {"type": "date", "form": "mm/dd/yyyy"}]),
        (["31.01.24"], "dates", [{"type": "date", "form": "dd.mm.yy"}]),
        (
            ["2024-01-31", "31/01/2024"],
            "dates",
            [{"type": "date", "form": "dd/mm/yyyy"}, {"type": "date", "form": "iso"}],
        ),
        (["1,234", "5,678"], "numbers", [{"decimal": ","}, {"decimal": ".", "thousands": ","}]),
        (["1.234", "5"], "numbers", [{"decimal": "."}, {"decimal": ",", "thousands": "."}]),
        (["1,5", "2"], "numbers", [{"decimal": ","}]),
        (["1.234,50", "2"], "numbers", [{"decimal": ","}]),
        (["1,5", "1.5"], "numbers", [{"decimal": ","}, {"decimal": "."}]),
    ],
)
def test_a_column_that_could_be_read_in_two_ways_is_asked_about(values, code, choices):
    found = read(table(*values))

    question = asked(found, code)
    offered = [choice["settings"]["columns"]["x"] for choice in question["choices"]]
    assert (found.codes, question["column"]) == ([code], "x")
    for choice in choices:
        assert any(choice.items() <= one.items() for one in offered), offered
    assert offered[-1] == {"type": "text"}


@pytest.mark.parametrize(
    ("values", "given", "stored"),
    [
        (["03/04/2024"], {"form": "dd/mm/yyyy"}, ["2024-04-03"]),
        (["03/04/2024"], {"form": "mm/dd/yyyy", "type": "date"}, ["2024-03-04"]),
        (["31.01.69", "31.01.68"], {"form": "dd.mm.yy"}, ["1969-01-31", "2068-01-31"]),
        (["2024M03"], {"form": "yyyyMmm"}, ["2024-03-01"]),
        (["2024-Q2"], {"form": "yyyy-Qq"}, ["2024-04-01"]),
        (["2024-W05"], {"form": "yyyy-Www"}, ["2024-01-29"]),
        (["202403"], {"form": "yyyymm"}, ["2024-03-01"]),
        (["2024"], {"form": "yyyy"}, ["2024-01-01"]),
        (["09:05 3.4.2024"], {"form": "hh:mm dd.mm.yyyy"}, ["2024-04-03T09:05:00Z"]),
        (["3.4.2024 9:05:07"], {"form": "dd.mm.yyyy hh:mm:ss", "zone": "Europe/Berlin"}, ["2024-04-03T07:05:07Z"]),
        (["45322", "45322.5"], {"form": "excel"}, ["2024-01-31T00:00:00Z", "2024-01-31T12:00:00Z"]),
        (["45322"], {"form": "excel", "type": "date"}, ["2024-01-31"]),
        (["43860"], {"form": "excel_1904", "type": "date"}, ["2024-01-31"]),
        (["1706691600"], {"form": "unix_s"}, ["2024-01-31T09:00:00Z"]),
        (["1706691600500"], {"form": "unix_ms"}, ["2024-01-31T09:00:00.500Z"]),
        (["1.234,5", "-2"], {"type": "number", "decimal": ",", "thousands": "."}, [1234.5, -2]),
        (["1 234,5", "1\u00a0234"], {"type": "number", "decimal": ",", "thousands": " "}, [1234.5, 1234]),
        (["€ 5", "6,5 €"], {"type": "number", "decimal": ",", "unit": "€"}, [5, 6.5]),
        (["25%", "2.5 %"], {"type": "number", "percent": "fraction"}, [0.25, 0.025]),
        (["25%", "2.5%"], {"type": "number", "percent": "number"}, [25, 2.5]),
        (["12E4", "007"], {"type": "number"}, [120000.0, 7]),
        (["ja", "Nein"], {"type": "boolean", "true": ["ja"], "false": ["nein"]}, [True, False]),
        (["Yes", "off", "1"], {"type": "boolean"}, [True, False, True]),
        (["[1, 2]", "null"], {"type": "json"}, [[1, 2], None]),
        (["1", "NA"], {"type": "integer", "null_words": ["NA"]}, [1, None]),
        (["1", ""], {"type": "integer", "empty": "null"}, [1, None]),
        (["a", ""], {"type": "text", "empty": "text"}, ["a", ""]),
        (["1", "2"], {"type": "text"}, ["1", "2"]),
    ],
)
def test_a_given_type_or_form_is_followed(values, given, stored):
    found = read(table(*values).replace('"[1, 2]"', '"[1, 2]"'), {"columns": {"x": given}})

    assert (found.codes, found.rejected) == ([], [])
    assert found.column("x") == stored


@pytest.mark.parametrize(
    ("value", "given"),
    [
        ("31/01/2024", {"form": "mm/dd/yyyy"}),
        ("1.5", {"type": "integer"}),
        ("1,23,4", {"type": "number", "thousands": ","}),
        ("1e999", {"type": "number"}),
        ("0.1234567890123456789", {"type": "number"}),
        ("NaN", {"type": "number"}),
        ("perhaps", {"type": "boolean"}),
        ("{", {"type": "json"}),
        ("0.25", {"type": "number", "percent": "fraction"}),
        ("60", {"form": "excel"}),
        ("2024-02-30", {"type": "date"}),
        ("2024-01-31T09:00:00", {"type": "date", "form": "iso"}),
        ("2024-03-31T02:30", {"type": "time", "zone": "Europe/Berlin"}),
        ("2024-10-27T02:30", {"type": "time", "zone": "Europe/Berlin"}),
        ("2024-W54", {"form": "yyyy-Www"}),
        ("2024-13", {"form": "yyyy-mm"}),
    ],
)
def test_a_value_that_does_not_fit_rejects_its_row(value, given):
    found = read(table(value), {"columns": {"x": given}})

    assert (found.codes, found.records, [row for row, _ in found.rejected]) == ([], [], [2])


@pytest.mark.parametrize(
    ("text", "zone", "stored"),
    [
        ("2024-07-01", "Europe/Berlin", "2024-06-30T22:00:00Z"),
        ("2018-11-04", "America/Sao_Paulo", "2018-11-04T03:00:00Z"),  # the day began at 01:00
        ("2024-07-01T09:00", "Europe/Berlin", "2024-07-01T07:00:00Z"),
        ("2024-07-01T09:00+02:00", "America/New_York", "2024-07-01T07:00:00Z"),
    ],
)
def test_the_time_of_a_record_is_an_instant_of_the_zone(text, zone, stored):
    assert read(f"_timestamp\n{text}\n", {"zone": zone}).column("_timestamp") == [stored]


def test_a_column_of_moments_makes_start_and_end():
    found = read("_timestamp,_start_at,_end_at\n2024-01-01,2024-01-01,31.01.2024\n")

    assert found.records == [
        {
            "_timestamp": "2024-01-01T00:00:00Z",
            "_start_at": "2024-01-01T00:00:00Z",
            "_end_at": "2024-01-31T00:00:00Z",
        }
    ]


def test_without_a_time_the_columns_with_dates_are_offered():
    found = read("Ort,Datum,Jahr\nBerlin,31.01.2024,2024\n")

    choices = [choice["settings"] for choice in asked(found, "timestamp")["choices"]]
    assert choices[0] == {"columns": {"Datum": {"to": "_timestamp"}}}
    assert {"columns": {"Jahr": {"to": "_timestamp", "type": "date", "form": "yyyy"}}} in choices


def test_year_and_month_make_a_time_together():
    given = {"timestamp": {"from": ["Jahr", "Monat"], "form": "yyyy mm"}}
    text = "Jahr,Monat,n\n2024,1,5\n2024,12,6\n"

    offered = [choice["settings"] for choice in asked(read(text), "timestamp")["choices"]]
    found = read(text, given)

    assert given in offered
    assert found.records == [
        {"_timestamp": "2024-01-01T00:00:00Z", "n": 5},
        {"_timestamp": "2024-12-01T00:00:00Z", "n": 6},
    ]


def test_seconds_since_1970_are_offered_as_a_time():
    choices = asked(read("_timestamp,n\n1706691600,1\n"), "timestamp")["choices"]

    assert choices[0]["settings"] == {"columns": {"_timestamp": {"to": "_timestamp", "type": "time", "form": "unix_s"}}}


def test_a_time_that_is_no_date_rejects_only_its_row():
    found = read("_timestamp,n\n31.01.2024,1\nunknown,2\n,3\n")

    assert (found.column("n"), [row for row, _ in found.rejected]) == ([1], [3, 4])


def test_the_id_is_made_from_columns_or_from_the_file():
    text = "_timestamp,Station,n\n2024-01-01,A,1\n2024-01-01,A,2\n"
    made = read(text, {"id": ["Station", "_timestamp"]}, set_ids=())
    assert len(made.records) == 2
    assert read("_timestamp,Station\n2024-01-01,\n", {"id": ["Station"]}).rejected[0][0] == 2


@pytest.mark.parametrize(
    ("given", "key"),
    [
        ({"columns": {"x": {"form": "dd.mm"}}}, "columns.x.form"),
        ({"columns": {"x": {"form": "yyyy yyyy"}}}, "columns.x.form"),
        ({"columns": {"x": {"form": "yyyy qmm"}}}, "columns.x.form"),
        ({"columns": {"x": {"form": "yyyy", "type": "text"}}}, "columns.x.form"),
        ({"columns": {"x": {"true": ["a"], "false": ["A"]}}}, "columns.x.false"),
        ({"columns": {"x": {"unit": ""}}}, "columns.x.unit"),
        ({"columns": {"x": {"unit": "€", "type": "text"}}}, "columns.x.unit"),
        ({"columns": {"x": 1}}, "columns.x"),
        ({"columns": []}, "columns"),
        ({"delimiter": ";;"}, "delimiter"),
        ({"header_rows": 11}, "header_rows"),
        ({"null_words": "NA"}, "null_words"),
        ({"zone": "../etc/passwd"}, "zone"),
        ({"thousands": "."}, "thousands"),
        ({"columns": {"x": {"to": "_timestamp"}}, "timestamp": {"from": ["a"], "form": "yyyy"}}, "columns.x.to"),
        ({"id": []}, "id"),
    ],
)
def test_settings_are_wrong_whatever_the_file(given, key):
    with pytest.raises(WrongSettings) as caught:
        import_settings.parse(given)

    assert str(caught.value).startswith(f"{key}:")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"skip_rows": "3"}, "skip_rows: must be a whole number"),
        ({"format": "xls"}, "format: must be one of csv, xlsx, ods, ndjson, json, parquet, mongoexport"),
        ({"null_words": [1]}, "null_words[0]: must be a text"),
        ({"columns": {"x": {"type": "int"}}}, "columns.x.type: must be one of text, integer, number, boolean, "),
        ({"columns": {"x": {"leave_out": "yes"}}}, "columns.x.leave_out: must be true or false"),
        ({"columns": {"x": {"typ": "text"}}}, "columns.x.typ: is unknown"),
        ({"timestamp": {"from": "a", "form": "yyyy"}}, "timestamp.from: must be a list"),
        ({"timestamp": {"from": ["a"]}}, "timestamp.form: is required"),
    ],
)
def test_wrong_settings_are_explained_in_plain_words(given, message):
    with pytest.raises(WrongSettings) as caught:
        import_settings.parse(given)

    assert str(caught.value).startswith(message)


def test_an_archive_that_is_no_spreadsheet():
    with pytest.raises(UnreadableFile):
        read(b"PK\x03\x04nothing")
