"""Files of many programs and countries, and damaged ones: right, a question, a rejected row, or a reason."""

import gzip
import io
import json
import zipfile
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pytest

from datasets.imports.reading.cells import UnreadableFile
from tests.datasets.imports.reading import answered, read
from tests.datasets.imports.test_files import SHEET, cell, excel, open_document
from tests.notifications.bulk_tables.sheets import changed

DAY = date(2024, 1, 1)
ROWS = "_timestamp,n\n2024-01-01,1\n2024-01-02,2\n"
GERMAN = "Datum;Betrag;Ort\r\n31.01.2024;1.234,50;Köln\r\n01.02.2024;7,25;Bonn\r\n"
POLISH = "Data;Kwota;Miasto\r\n31.01.2024;1234,50;Łódź\r\n01.02.2024;7,25;Kraków\r\n"
GENESIS = (
    "Tabelle: 12411-0001\nBevölkerung: Deutschland, Stichtag\nStichtag;Deutschland;Anzahl\n"
    + "".join(f"31.12.{year};insgesamt;{year * 41_000}\n" for year in range(2012, 2024))
    + "__________\nQuelle: Statistisches Bundesamt (Destatis)\n"
)
EUROSTAT = (
    "DATAFLOW,LAST UPDATE,freq,geo,TIME_PERIOD,OBS_VALUE,OBS_FLAG\nESTAT:X(1.0),31/01/24 23:00:00,A,DE,2022,1.5,p\n"
    "ESTAT:X(1.0),31/01/24 23:00:00,A,FR,2023,2.5,\n"
)
PX_WEB = '"region","sex","2022","2023"\n"01 Stockholm","men",1204,1215\n"03 Uppsala","men",201,203\n'

COUNTRIES = {  # as Excel saves CSV there: the questions, and the first record after the first choices
    "Germany": (GERMAN.encode("cp1252"), ["encoding"], None),
    "Poland": (POLISH.encode("cp1250"), ["encoding"], None),
    "France": ("Date;Montant\r\n31/01/2024;1\u202f234,50\r\n01/02/2024;7,25\r\n", ["numbers", "timestamp"], None),
    "United Kingdom": ('Date,Sum\r\n31/01/2024,"1,234.50"\r\n', ["timestamp"], {"Sum": "1,234.50"}),
    "United States": ("Date,Sum\r\n01/31/2024,1234.50\r\n12/01/2024,7\r\n", ["timestamp"], {"Sum": 1234.5}),
    "Switzerland": ("Datum;Betrag\r\n31.01.2024;1'234.50\r\n", ["timestamp"], {"Betrag": "1'234.50"}),
    "Japan": ("日付,金額\r\n2024/01/31,1234\r\n".encode("shift_jis"), ["encoding"], None),
    "two dates that are both possible": ("Date,Sum\r\n03/04/2024,1\r\n", ["dates", "timestamp"], None),
    "GENESIS": (GENESIS, ["header", "timestamp", "totals"], None),
    "Eurostat": (EUROSTAT, ["dates", "timestamp"], {"OBS_VALUE": 1.5, "OBS_FLAG": "p", "geo": "DE"}),
    "PxWeb": (PX_WEB, ["header", "timestamp"], None),
    "R": ('"","_timestamp","n"\n"1","2024-01-31",NA\n"2","2024-02-01",5\n', ["columns"], {"n": "NA"}),
    "Stata": ("_timestamp,v\n31jan2024,1.5\n", ["timestamp"], None),
    "SPSS": ("\ufeff_timestamp;v\n2024-01-31;.\n2024-02-01;5\n", [], {"v": "."}),
}


@pytest.mark.parametrize("name", COUNTRIES)
def test_exports_of_programs_and_countries(name):
    data, codes, first = COUNTRIES[name]

    found = read(data)

    assert found.codes == codes
    if first is not None:
        assert first.items() <= answered(data).records[0].items()


@pytest.mark.parametrize(
    ("values", "given", "stored"),
    [
        (["(5)", "7"], {}, ["(5)", "7"]),
        (["5-", "7"], {}, ["5-", "7"]),
        (["\u22125", "7"], {}, ["\u22125", "7"]),
        (["٥", "7"], {}, ["٥", "7"]),
        (["\uff15", "7"], {}, ["\uff15", "7"]),
        (["1_000", "0x1F"], {}, ["1_000", "0x1F"]),
        (["'5", "\u200b7"], {}, ["'5", "\u200b7"]),
        (["\u00a05", "7\u00a0"], {}, [5, 7]),
        (["12,34,567", "1"], {}, ["12,34,567", "1"]),
        (["Infinity", "1.5"], {}, ["Infinity", "1.5"]),
        (["=1+1", "@x"], {}, ["=1+1", "@x"]),
        (["2024-01-01T24:00:00Z", "2024-01-01"], {}, ["2024-01-01T24:00:00Z", "2024-01-01"]),
        (["2016-12-31T23:59:60Z", "x"], {}, ["2016-12-31T23:59:60Z", "x"]),
        (["2024-W05-3", "2024-031"], {}, ["2024-W05-3", "2024-031"]),
        (["1850-01-31", "0001-01-01"], {}, ["1850-01-31", "0001-01-01"]),
        (["(5)", "5-", "\u22125", "٥", "'5", "5 €", "5%", "1 5"], {"type": "number"}, []),
        (["1E5", "1.0"], {"type": "integer"}, [100_000, 1]),
    ],
)
def test_values_stay_as_they_are_or_reject_their_row(values, given, stored):
    rows = "".join(f"2024-01-01;{value}\n" for value in values)

    found = read(f"_timestamp;v\n{rows}", {"columns": {"v": given}} if given else {})

    assert (found.codes, found.column("v")) == ([], stored)
    assert len(found.rejected) == len(values) - len(stored)


JSON_ROWS = [
    (b'{"_timestamp":"2024-01-01","n":1,"n":2}', "names a field twice"),
    (b'{"_timestamp":"2024-01-01","n":{"a":1,"a" : 2}}', "names a field twice"),
    (b'\xef\xbb\xbf{"_timestamp":"2024-01-01"}', "not valid JSON"),  # a second file was appended
    (b'{"_timestamp":"2024-01-01","n":-Infinity}', "not valid JSON"),
    (b'{"_timestamp":"2024-01-01"}{"_timestamp":"2024-01-02"}', "not valid JSON"),
    (b'{"_timestamp":"2024-01-01","n":"K\xf6ln"}', "not UTF-8"),
    (b'{"_timestamp":"2024-01-01","n":"\\ud800"}', "U+0000 or a lone surrogate"),
]


def test_a_line_of_json_that_is_not_certain_is_rejected():
    good = b'{"_timestamp":"2024-01-01","n":"\\": \\":","m":[{"a":1},{"a":2}]}\n\n'

    found = read(good + b"\n".join(line for line, _ in JSON_ROWS))

    assert found.records == [{"_timestamp": "2024-01-01T00:00:00Z", "n": '": ":', "m": [{"a": 1}, {"a": 2}]}]
    for (_, reason), (_, shown) in zip(JSON_ROWS, found.rejected, strict=True):
        assert reason in shown


UNREADABLE: list[tuple[Any, str]] = [
    (json.dumps({"_timestamp": "2024-01-01"}).encode("utf-16"), "Save it as UTF-8"),
    (ROWS.encode("utf-32"), "Save it as UTF-8"),
    (b"\x00\x00\xfe\xff" + ROWS.encode("utf-32be"), "Save it as UTF-8"),
    ('[["_timestamp","n"],["2024-01-01",1]]', "array of objects"),
    ("[1,2,3]", "array of objects"),
    ('{\n "_timestamp": "2024-01-01",\n "n": 1\n}\n', "one whole object on each line"),
    ('{"_timestamp":"2024-01-01"}\r{"_timestamp":"2024-01-02"}\r', "one whole object on each line"),
    ('[{"_timestamp":"2024-01-01"}][{"_timestamp":"2024-01-02"}]', "goes on after the array"),
    ("<html><body><table><tr><td>1</td></tr></table>", "web page or XML"),
    ('\ufeff<?xml version="1.0"?><Workbook/>', "web page or XML"),
    (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(range(256)), "no table of text"),
    (gzip.compress(gzip.compress(ROWS.encode())), "packed twice"),
    (gzip.compress(ROWS.encode())[:-6] + bytes(6), "not valid gzip"),
    (gzip.compress(ROWS.encode()) + b"more", "not valid gzip"),
    ("_timestamp," + ",".join(map(str, range(2000))) + "\n2024-01-01\n", "more than 2000 columns"),
    ('"', "never closed"),
]


@pytest.mark.parametrize(("data", "message"), UNREADABLE, ids=range(len(UNREADABLE)))
def test_a_file_that_cannot_be_read_says_what_to_change(data, message):
    with pytest.raises(UnreadableFile, match=message):
        read(data)


def test_a_bomb_of_gzip_is_ended_at_the_limit():
    with pytest.raises(UnreadableFile, match="after decompression"):
        read(gzip.compress(bytes(3_000_000)), max_bytes=1_000_000)


@pytest.mark.parametrize("names", ["[2023],[2024]", "<DATE>,<CLOSE>", "[m],[kg]"])
def test_names_in_brackets_are_names(names):
    assert list(read(f"{names},_timestamp\n1,2,2024-01-01\n").records[0])[1:] == names.split(",")


def test_a_thousand_columns_and_rows_of_blank_quotes():
    names = [f"c{number}" for number in range(1000)]
    found = read(f"_timestamp,{','.join(names)}\n2024-01-01,{','.join(map(str, range(1000)))}\n")

    assert [found.records[0][name] for name in names] == [*range(1000)]
    assert read('""\n""\n"",""\n').counts["rows"] == 0


@pytest.mark.parametrize(
    ("data", "code", "label"),
    [
        ("_timestamp,n\n2024-01-01,1\n2024-01-02,2\n\nwhen,m\n2024-05-01,3\n2024-05-02,4\n", "header", "above row 5"),
        (excel(["_timestamp", "n"], [DAY, 1], [], ["when", "m"], [DAY, 9]), "header", "above row 4"),
        (
            excel(["_timestamp", "g"], [DAY, "A"], [DAY, None], change=lambda _, sheet: sheet.merge_cells("B2:B3")),
            "columns",
            "Leave out",
        ),
        (
            open_document(
                cell("_timestamp") + cell("g"),
                cell("x", "date", office_date_value="2024-01-01") + cell("A", table_number_rows_spanned="2"),
                cell("x", "date", office_date_value="2024-01-02") + "<table:covered-table-cell/>",
            ),
            "columns",
            "Leave out",
        ),
        (excel(["when", "n"], [45322, 1], [45323, 2]), "timestamp", "form excel"),
    ],
    ids=range(5),
)
def test_a_table_that_people_read_otherwise_is_asked_about(data, code, label):
    found = read(data)

    assert found.codes == [code]
    assert label in found.questions[0]["choices"][0]["label"]
    assert all(code not in read(data, choice["settings"]).codes for choice in found.questions[0]["choices"])


@pytest.mark.parametrize(
    "data",
    [
        "_timestamp,a,b\n2024-01-01,x,y\n\n2024-01-02,z,w\n",
        "_timestamp,n\n2024-01-01,1\n\n2024-01-02,2\n",
        excel(["_timestamp", "n", None], [DAY, 1], change=lambda _, sheet: sheet.merge_cells("B1:C1")),
    ],
    ids=range(3),
)
def test_blank_rows_and_merged_names_are_no_question(data):
    assert read(data).codes == []


def test_one_of_two_tables_is_imported_as_a_person_says():
    data = "_timestamp,n\n2024-01-01,1\n2024-01-02,2\n\n_timestamp,m\n2024-05-01,3\n2024-05-02,4\n2024-05-03,5\n"
    first, second, _ = (choice["settings"] for choice in read(data).questions[0]["choices"])

    assert read(data, first).column("n") == [1, 2]
    assert read(data, second).column("m") == [3, 4, 5]


@pytest.mark.parametrize("value", ["1_0", "٥", "0x10", "NaN", "1,5", "Infinity"])
def test_a_number_of_a_spreadsheet_that_is_none_rejects_its_row(value):
    data = changed(excel(["_timestamp", "n"], [DAY, 1], [DAY, 7]), SHEET, "<v>7</v>", f"<v>{value}</v>")

    found = read(data)

    assert (found.column("n"), [row for row, _ in found.rejected]) == ([1], [3])


def test_external_links_and_quoted_sheet_names_change_nothing():
    def other(book, sheet):
        sheet.title = 'it\'s "x" & <y>'

    data = changed(excel(["_timestamp", "n"], [DAY, 7], change=other), SHEET, "<v>7</v>", "<f>[1]Other!A1</f><v>7</v>")

    assert read(data).column("n") == [7]


def test_a_time_with_an_offset_in_a_spreadsheet_is_that_instant():
    moment = cell("x", "date", office_date_value="2024-01-01T09:00:00.5+02:00")

    assert read(open_document(cell("_timestamp"), moment)).column("_timestamp") == ["2024-01-01T07:00:00.500000Z"]


def test_parquet_keeps_nanoseconds_decimals_and_nested_instants():
    import pyarrow
    from pyarrow import parquet

    nanoseconds = [1704067200123456789, 1704067201000000000]
    at = datetime(2024, 1, 1, 9, tzinfo=UTC)
    columns = {
        "_timestamp": pyarrow.array([1704067200123, 1704067201000], pyarrow.timestamp("ms", tz="Europe/Berlin")),
        "a": pyarrow.array(nanoseconds, pyarrow.timestamp("ns")),
        "b": pyarrow.array(nanoseconds, pyarrow.timestamp("ns", tz="UTC")),
        "c": pyarrow.array([3_600_000_000_001, None], pyarrow.time64("ns")),
        "d": [{"at": at}, {"at": None}],
        "e": pyarrow.array(["x", "y"]).dictionary_encode(),
        "f": pyarrow.array([Decimal("1.10"), Decimal("12345678901234567890.12")], pyarrow.decimal128(38, 2)),
    }
    file = io.BytesIO()
    parquet.write_table(pyarrow.table(columns), file)

    found = read(file.getvalue())

    assert found.records == [
        {
            "_timestamp": "2024-01-01T00:00:00.123000Z",
            "a": "2024-01-01T00:00:00.123456789Z",
            "b": "2024-01-01T00:00:00.123456789Z",
            "c": "01:00:00.000000001",
            "d": {"at": "2024-01-01T09:00:00Z"},
            "e": "x",
            "f": 1.1,
        }
    ]
    assert found.rejected == [(2, "has more than 17 significant digits")]


def test_parquet_keeps_nanoseconds_in_lists_and_objects_as_texts():
    import pyarrow
    from pyarrow import parquet

    at = 1704067200123456789
    inner = pyarrow.struct([("a TIME_NS", pyarrow.int64()), ("at", pyarrow.timestamp("ns"))])
    columns = {
        "_timestamp": ["2024-01-01"],
        "a": pyarrow.array([[at]], pyarrow.list_(pyarrow.timestamp("ns", tz="UTC"))),
        "b": pyarrow.array([{"a TIME_NS": 5, "at": at}], inner),
        "c": pyarrow.array([[("k", 1)]], pyarrow.map_(pyarrow.string(), pyarrow.time64("ns"))),
    }
    file = io.BytesIO()
    parquet.write_table(pyarrow.table(columns), file)

    assert read(file.getvalue()).records == [
        {
            "_timestamp": "2024-01-01T00:00:00Z",
            "a": ["2024-01-01 00:00:00.123456789+00"],
            "b": {"a TIME_NS": 5, "at": "2024-01-01 00:00:00.123456789"},
            "c": {"k": "00:00:00.000000001"},
        }
    ]


def test_a_zip_that_is_no_spreadsheet_says_so():
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("a.csv", ROWS)

    with pytest.raises(UnreadableFile, match="Unpack it first"):
        read(file.getvalue())


FORMATS = {  # of dates and amounts, as Excel of these countries writes them
    "de": ("[$-407]dd.mm.yyyy", "#,##0.00\\ [$€-407]"),
    "fr": ("[$-40C]d mmmm yyyy;@", "#,##0.00\\ [$€-40C];[Red]\\-#,##0.00\\ [$€-40C]"),
    "en-GB": ("[$-F800]dddd, mmmm dd, yyyy", "[$£-809]#,##0.00"),
    "en-US": ("m/d/yy;@", '_($* #,##0.00_);_($* (#,##0.00);_($* "-"??_);_(@_)'),
    "cy": ("[$-452]dd/mm/yyyy", "[$£-452]#,##0.00"),
    "pl": ("[$-415]d mmm yyyy;@", '#,##0.00\\ "zł"'),
    "de-CH": ("d/m/yyyy", "[$CHF-807]\\ #,##0.00"),
}


@pytest.mark.parametrize("country", FORMATS)
def test_dates_and_amounts_of_excel_are_their_values_whatever_the_format_shows(country):
    day, amount = FORMATS[country]

    def show(_, sheet):
        for row in (2, 3):
            sheet[f"A{row}"].number_format, sheet[f"B{row}"].number_format = day, amount

    found = read(excel(["_timestamp", "v"], [date(2024, 4, 3), 1234.5], [date(2024, 12, 31), -7], change=show))

    assert (found.codes, found.rejected, found.column("v")) == ([], [], [1234.5, -7])
    assert found.column("_timestamp") == ["2024-04-03T00:00:00Z", "2024-12-31T00:00:00Z"]


@pytest.mark.parametrize(
    ("text", "given"),
    [
        ("1.234,50", {"decimal": ",", "thousands": "."}),
        ("1\u202f234,50", {"decimal": ",", "thousands": " "}),
        ("1\u00a0234,50", {"decimal": ",", "thousands": " "}),
        ("1,234.50", {"thousands": ","}),
        ("1’234.50", {"thousands": "’"}),
        ("1'234.50", {"thousands": "'"}),
        ("£1,234.50", {"thousands": ",", "columns": {"v": {"type": "number", "unit": "£"}}}),
        ("1 234,50 zł", {"decimal": ",", "thousands": " ", "columns": {"v": {"type": "number", "unit": "zł"}}}),
    ],
)
def test_an_amount_of_each_country_is_read_with_its_marks(text, given):
    found = read(f"_timestamp;v\n2024-01-31;{text}\n2024-02-01;12\n", given)

    assert (found.codes, found.rejected, found.column("v")) == ([], [], [1234.5, 12])


@pytest.mark.parametrize(
    ("data", "values"),
    [
        ('_timestamp, "v", "w"\n2024-01-01, "a, ""b""",  "c"\n2024-01-02, d, "e\nf"\n', ['a, "b"', "d"]),
        ('_timestamp,v,w\n2024-01-01," ""a"" ", b\n2024-01-02,"c, ", d\n', [' "a" ', "c, "]),
        ('_timestamp,v,w\n2024-01-01, "a" b, c\n2024-01-02, d, e\n', [' "a" b', " d"]),  # no cell in quotes
    ],
)
def test_blanks_before_quotation_marks_belong_to_no_cell(data, values):
    found = read(data)

    assert (found.codes, found.rejected, found.column("v")) == ([], [], values)


SIDE_BY_SIDE = "_timestamp,n,,Ort,m\n2024-01-01,1,,A,5\n2024-01-02,2,,B,6\n2024-01-03,3,,,\n"


def test_tables_of_different_length_side_by_side_are_asked_about():
    found = read(SIDE_BY_SIDE)

    (asked,) = found.questions
    left, right, both = [choice["settings"] for choice in asked["choices"]]
    assert (asked["code"], both) == ("header", {"other_columns": "keep"})
    assert read(SIDE_BY_SIDE, left).records[0] == {"_timestamp": "2024-01-01T00:00:00Z", "n": 1}
    assert read(SIDE_BY_SIDE, both).records[0].keys() == {"_timestamp", "n", "Ort", "m"}
    assert read(SIDE_BY_SIDE, right).codes == ["timestamp"]
    assert read(SIDE_BY_SIDE.replace("2024-01-03,3,,,\n", "")).codes == []
    periods = "Jahr,Monat,,Ort,m\n2024,1,,A,5\n2024,2,,,\n"
    assert read(periods, {"timestamp": {"from": ["Jahr", "Monat"], "form": "yyyy mm"}}).codes == ["header"]


@pytest.mark.parametrize("data", ["_timestamp,n\n2024-01-01,1,2\n", "2024-01-01,1\n", "a,b\n1,2,\n3,4,,\n"])
def test_a_file_whose_only_rows_may_be_names_is_asked_about(data):
    assert read(data).codes == ["header"]


def test_a_duration_of_minutes_is_no_date():
    change = lambda _, sheet: setattr(sheet["B2"], "number_format", "[mm]")  # noqa: E731

    assert read(excel(["_timestamp", "v"], [DAY, 1.5], change=change)).column("v") == ["36:00:00"]
