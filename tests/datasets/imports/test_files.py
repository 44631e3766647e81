"""Files as people have them: each gives the right values or the right question, and never a wrong value."""

import gzip
import io
import json
import zipfile
from datetime import date, datetime, time
from typing import Any

import pytest
from openpyxl import Workbook
from openpyxl.utils.datetime import CALENDAR_MAC_1904

from datasets.imports.reading.cells import UnreadableFile
from tests.datasets.imports.reading import answered, read
from tests.notifications.bulk_tables.sheets import changed

ROWS = "_timestamp,n\n2024-01-01,1\n2024-01-02,2\n"
BOTH = [1, 2]
DAY = date(2024, 1, 1)
SHEET = "xl/worksheets/sheet1.xml"


def excel(*rows: list[Any], change: Any = None) -> bytes:
    """Return a workbook with these rows. change: a function that changes it"""
    book = Workbook()
    sheet = book.active
    for row in rows:
        sheet.append(row)
    if change is not None:
        change(book, sheet)
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def open_document(*rows: str) -> bytes:
    """Return an .ods file with these rows as XML."""
    space = "urn:oasis:names:tc:opendocument:xmlns"
    content = (
        f'<?xml version="1.0" encoding="UTF-8"?><office:document-content xmlns:office="{space}:office:1.0" '
        f'xmlns:table="{space}:table:1.0" xmlns:text="{space}:text:1.0" '
        'xmlns:calcext="urn:org:documentfoundation:names:experimental:calc:xmlns:calcext:1.0">'
        '<office:body><office:spreadsheet><table:table table:name="One">'
        + "".join(f"<table:table-row>{row}</table:table-row>" for row in rows)
        + "</table:table></office:spreadsheet></office:body></office:document-content>"
    )
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        archive.writestr("content.xml", content)
    return file.getvalue()


def cell(text: str, kind: str = "string", **attributes: str) -> str:
    written = "".join(f' {name.replace("_", ":", 1).replace("_", "-")}="{value}"' for name, value in attributes.items())
    return f'<table:table-cell office:value-type="{kind}"{written}><text:p>{text}</text:p></table:table-cell>'


TABLES = [
    ROWS.encode(),
    ROWS.replace("\n", "\r\n").encode(),
    ROWS.replace("\n", "\r").encode(),
    b"_timestamp,n\r\n2024-01-01,1\n2024-01-02,2\r",
    ROWS.rstrip("\n").encode(),
    b"\xef\xbb\xbf" + ROWS.encode(),
    ROWS.encode("utf-16"),
    b"\xfe\xff" + ROWS.encode("utf-16be"),
    ROWS.replace(",", "\t").encode(),
    ROWS.replace(",", ";").encode(),
    ROWS.replace(",", "|").encode(),
    b"sep=;\n" + ROWS.replace(",", ";").encode(),
    b"sep=|\r\n" + ROWS.replace(",", "|").encode(),
    ROWS.encode() + b"\x1a",
    ROWS.encode() + b"\0" * 5000,
    ROWS.encode() + b"\n\n\n",
    b"\n\n" + ROWS.encode(),
    b"_timestamp,n,,\n2024-01-01,1,,\n2024-01-02,2,,\n",
    b" _timestamp , n \n2024-01-01,1\n2024-01-02,2\n",
    b'"_timestamp","n"\n"2024-01-01","1"\n"2024-01-02","2"\n',
    b"_timestamp,n\n2024-01-01,1\n,,\n2024-01-02,2\n",
    gzip.compress(ROWS.encode()),
    gzip.compress(ROWS.encode()[:20]) + gzip.compress(ROWS.encode()[20:]),
    b"_timestamp,n,_updated_at,_week_start_at\n2024-01-01,1,x,y\n2024-01-02,2,x,y\n",
    b'{"_timestamp":"2024-01-01T00:00:00Z","n":1}\n\n{"_timestamp":"2024-01-02T00:00:00Z","n":2}',
    b'[{"_timestamp":"2024-01-01T00:00:00Z","n":1},\n {"_timestamp":"2024-01-02T00:00:00Z","n":2}]\n',
    b'\xef\xbb\xbf[{"_timestamp":"2024-01-01","n":1},{"_timestamp":"2024-01-02","n":2}]',
    b'{"_timestamp":{"$date":1704067200000},"n":{"$numberLong":"1"}}\n{"_timestamp":{"$date":"2024-01-02T00:00:00Z"},"n":2}',
    b'{"_timestamp":{"$date":{"$numberLong":"1704067200000"}},"n":{"$numberInt":"1"}}\n{"_timestamp":{"$date":"2024-01-02T00:00:00Z"},"n":2}',
    excel(["_timestamp", "n"], [date(2024, 1, 1), 1], [datetime(2024, 1, 2), 2]),  # noqa: DTZ001
    excel(["_timestamp", "n"], ["2024-01-01", 1], [date(2024, 1, 2), 2]),
]


@pytest.mark.parametrize("data", TABLES, ids=range(len(TABLES)))  # the bytes have the time in them
def test_the_same_table_in_many_forms(data):
    found = read(data)

    assert (found.codes, found.rejected) == ([], [])
    assert found.column("n") == BOTH
    assert found.column("_timestamp") == ["2024-01-01T00:00:00Z", "2024-01-02T00:00:00Z"]


@pytest.mark.parametrize(
    ("data", "codes"),
    [
        ("Datum;Betrag\n31.01.2024;1,5\n", ["numbers", "timestamp"]),
        ("_timestamp,d\n2024-01-01,03/04/2024\n", ["dates"]),
        ("_timestamp,d\n2024-01-01,2024-01-31\n2024-01-02,31/01/2024\n", ["dates"]),
        ("_timestamp\n03/04/2024\n", ["dates"]),
        ('_timestamp,n\n2024-01-01,"1,234"\n', ["numbers"]),
        ("_timestamp,Ort\n2024-01-01,Köln\n".encode("cp1252"), ["encoding"]),
        ("_timestamp,Ort\n2024-01-01,Łódź\n".encode("cp1250"), ["encoding"]),
        ("_timestamp,n\n2024-01-01,1\n".encode("utf-16le"), ["encoding"]),
        ("_timestamp,n,n\n2024-01-01,1,2\n", ["columns"]),
        ("_timestamp,\n2024-01-01,1\n", ["columns"]),
        ("_timestamp,_secret\n2024-01-01,1\n", ["columns"]),
        ('_timestamp,"a\nb"\n2024-01-01,1\n', ["columns"]),
        ("2024-01-01,1\n2024-01-02,2\n", ["header", "timestamp"]),
        ("Station 5\n\n_timestamp,n,m\n2024-01-01,1,2\n2024-01-02,1,2\n", ["header"]),
        ("Report;;\n_timestamp;n;m\n2024-01-01;1;2\n2024-01-02;1;2\n", ["header"]),
        ("_timestamp,n\ndate,persons\n2024-01-01,1\n2024-01-02,2\n", ["header"]),
        ("_timestamp,n\n2024-01-01,1\n2024-01-02,2\nTotal,3\n", ["totals"]),
        ("_timestamp,n\n2024-01-01,1\n2024-01-02,2\nSumme,3\n\nQuelle: Amt\n", ["totals"]),
        ("_timestamp,n\n2024-01-01,1\n2024-01-02,2\n2024-01-03,3\n,6\n", ["totals"]),
        ("a,b\n1,x\n", ["timestamp"]),
        ("_timestamp,n\nfoo,1\n", ["timestamp"]),
        ('{"when":"2024-01-01","n":1}', ["timestamp"]),
        ('{"_timestamp":"2024-01-01","_x":1}', ["columns"]),
        ('{"_timestamp":"03/04/2024"}', ["dates"]),
        (excel(["_timestamp", "n"], ["03/04/2024", 1]), ["dates"]),
        (excel(["_timestamp", "n"], [date(2024, 1, 1), 1], ["Summe", 1]), ["totals"]),
        (excel(["Report"], [], ["_timestamp", "n", "m"], [DAY, 1, 2], [DAY, 1, 3]), ["header"]),
        (excel(["_timestamp", "n"], [DAY, 1], change=lambda book, _: book.create_sheet().append([1])), ["sheet"]),
        (
            excel(
                ["_timestamp", "n"],
                [date(2024, 1, 1), 1],
                [date(2024, 1, 2), 2],
                change=lambda _, sheet: setattr(sheet.row_dimensions[3], "hidden", True),
            ),
            ["hidden"],
        ),
        (
            excel(
                ["_timestamp", "n"],
                [date(2024, 1, 1), 1],
                change=lambda _, sheet: setattr(sheet.column_dimensions["B"], "hidden", True),
            ),
            ["hidden"],
        ),
        (
            changed(excel(["_timestamp"], [DAY], [DAY]), SHEET, '<row r="3"', '<row ht="0" customHeight="1" r="3"'),
            ["hidden"],
        ),
    ],
)
def test_what_only_a_person_can_decide_is_asked(data, codes):
    assert read(data).codes == codes


def test_two_header_rows_are_joined():
    data = "Region,Men,,_timestamp\n,2023,2024,\nA,1,2,2024-01-01\nB,3,4,2024-01-02\n"

    found = read(data, {"header_rows": 2})

    assert found.records[0] == {"_timestamp": "2024-01-01T00:00:00Z", "Region": "A", "Men 2023": 1, "Men 2024": 2}


def test_totals_and_notes_are_left_out_if_a_person_says_so():
    data = "_timestamp,n\n2024-01-01,1\n2024-01-02,2\nTotal,3\n\nNote: of an office\n"

    found = answered(data)

    assert (found.column("n"), found.counts["left_out"], found.counts["rows"]) == (BOTH, 2, 4)
    assert [row for row, _ in read(data, {"footer_rows": 0}).rejected] == [4, 6]


def test_the_first_encoding_offered_for_a_western_file_is_right():
    found = answered("_timestamp,Ort\n2024-01-01,Köln\n".encode("cp1252"))

    assert found.column("Ort") == ["Köln"]


def test_a_file_that_is_not_in_the_given_encoding_fails():
    with pytest.raises(UnreadableFile, match="utf-8"):
        read("_timestamp,Ort\n2024-01-01,Köln\n".encode("cp1252"), {"encoding": "utf-8"})


def test_rows_are_numbered_as_a_spreadsheet_shows_them():
    data = '_timestamp,note\n2024-01-01,"two\nlines"\n\n2024-01-02,x,y\nnever,\n2024-01-03,"a"b\n'

    found = read(data)

    assert found.column("note") == ["two\nlines"]
    assert [row for row, _ in found.rejected] == [4, 5, 6]


def test_a_shorter_row_lacks_the_rest():
    found = read("_timestamp,a,b\n2024-01-01,1\n2024-01-02,1,2\n2024-01-03,1,2\n")

    assert found.records[0].keys() == {"_timestamp", "a"}


DAMAGED = [
    b'_timestamp,n\n2024-01-01,"1\n2024-01-02,2\n',
    b"\x1f\x8b" + b"nothing",
    gzip.compress(ROWS.encode())[:-9],
    b"%PDF-1.7",
    b"\xd0\xcf\x11\xe0 old",
    b"PAR1 nothing PAR1",
    b'[{"_timestamp":"2024-01-01"} {"a":1}]',
    b'[{"_timestamp":"2024-01-01"},]',
    b'[{"_timestamp":"2024-01-01"}',
    b'[{"_timestamp":"2024-01-01"}] more',
    excel([])[:-30],
]


@pytest.mark.parametrize("data", DAMAGED, ids=range(len(DAMAGED)))  # the bytes have the time in them
def test_a_damaged_file_is_not_read(data):
    with pytest.raises(UnreadableFile):
        read(data)


def test_a_spreadsheet_keeps_its_values():
    moment = datetime(2024, 1, 31, 9, 30)  # noqa: DTZ001
    row = [moment, 5, 0.1 + 0.2, True, "00123", "5", date(2024, 2, 29), time(9, 5), "  x "]

    found = read(excel(["_timestamp", "a", "b", "c", "d", "e", "f", "g", "h"], row))

    assert (found.codes, found.rejected) == ([], [])
    assert found.records == [
        {
            "_timestamp": "2024-01-31T09:30:00Z",
            "a": 5,
            "b": 0.3,
            "c": True,
            "d": "00123",
            "e": "5",
            "f": "2024-02-29",
            "g": "09:05:00",
            "h": "  x ",
        }
    ]


def test_a_workbook_of_1904_has_its_own_dates():
    def since_1904(book, _):
        book.epoch = CALENDAR_MAC_1904

    found = read(excel(["_timestamp"], [date(2024, 1, 31)], change=since_1904))

    assert found.column("_timestamp") == ["2024-01-31T00:00:00Z"]


@pytest.mark.parametrize(
    "put",
    [
        lambda one: setattr(one, "value", "=1+1"),  # openpyxl stores no result
        lambda one: (setattr(one, "value", "#N/A"), setattr(one, "data_type", "e")),
        lambda one: setattr(one, "value", 9007199254740993),
        lambda one: (setattr(one, "value", 60), setattr(one, "number_format", "dd.mm.yyyy")),
        lambda one: (setattr(one, "value", -5), setattr(one, "number_format", "dd.mm.yyyy")),
    ],
)
def test_a_cell_without_a_certain_value_rejects_its_row(put):
    change = lambda _, sheet: put(sheet["B3"])  # noqa: E731

    found = read(excel(["_timestamp", "n"], [date(2024, 1, 1), 1], [date(2024, 1, 2), 2], change=change))

    assert (found.codes, found.column("n"), [row for row, _ in found.rejected]) == ([], [1], [3])


def test_hidden_cells_are_imported_or_left_out_as_a_person_says():
    data = excel(
        ["_timestamp", "n"],
        [date(2024, 1, 1), 1],
        [date(2024, 1, 2), 2],
        change=lambda _, sheet: setattr(sheet.row_dimensions[3], "hidden", True),
    )

    assert read(data, {"hidden": "keep"}).column("n") == BOTH
    assert read(data, {"hidden": "leave_out"}).column("n") == [1]


def test_a_rejected_row_names_all_of_its_faults():
    columns = {"_timestamp": {"type": "time"}, "n": {"type": "integer"}, "b": {"type": "boolean"}}

    found = read("_timestamp,n,b\n2024-01-01,x,maybe\nfoo,1,true\n,,perhaps\n", {"columns": columns, "footer_rows": 0})

    assert found.rejected == [
        (2, "is not a whole number; b: is not one of the words for yes and no"),
        (3, "is not a date or time such as 2024-01-31 or 2024-01-31T09:00:00Z"),
        (4, "is not one of the words for yes and no; _timestamp: is required"),
    ]
    assert [(one["row"], one["column"]) for one in found.counts["errors"]] == [
        *((2, "n"), (2, "b"), (3, "_timestamp"), (4, "b"), (4, "_timestamp")),
    ]


def test_a_sheet_is_chosen_by_name():
    def second(book, _):
        book.create_sheet("Two").append(["_timestamp"])
        book["Two"].append([date(2024, 5, 1)])

    data = excel(["_timestamp"], [date(2024, 1, 1)], change=second)

    assert read(data, {"sheet": "Two"}).column("_timestamp") == ["2024-05-01T00:00:00Z"]
    with pytest.raises(UnreadableFile, match="Three"):
        read(data, {"sheet": "Three"})


def test_an_open_document_keeps_its_values():
    found = read(
        open_document(
            cell("_timestamp") + cell("n") + cell("p") + cell("b") + cell("t"),
            cell("31.01.24", "date", office_date_value="2024-01-31T09:30:00")
            + cell("0,3", "float", office_value="0.30000000000000004")
            + cell("25 %", "percentage", office_value="0.25")
            + cell("WAHR", "boolean", office_boolean_value="true")
            + cell("00123"),
        )
    )

    assert found.records == [{"_timestamp": "2024-01-31T09:30:00Z", "n": 0.3, "p": 0.25, "b": True, "t": "00123"}]


def test_a_table_inside_another_adds_no_rows():
    inner = "<table:table><table:table-row>" + cell("9") + "</table:table-row></table:table>"
    shapes = f"<table:shapes>{inner}</table:shapes>"
    day = cell("2024-01-01", "date", office_date_value="2024-01-01")
    data = open_document(cell("_timestamp") + shapes, day, f"<table:table-cell>{inner}</table:table-cell>", day)

    assert read(data).column("_timestamp") == ["2024-01-01T00:00:00Z"] * 2


@pytest.mark.parametrize(
    "bad",
    [
        cell("#N/A", "string", table_formula="of:=NA()", calcext_value_type="error"),
        cell("Err:502", "float", table_formula="of:=1", office_value="0"),
        cell("1", "float", office_value="9007199254740993"),
        '<table:table-cell table:formula="of:=1"/>',
    ],
)
def test_a_bad_cell_of_an_open_document_rejects_its_row(bad):
    first = cell("2024-01-01", "date", office_date_value="2024-01-01")

    good = first + cell("1", "float", office_value="1")

    found = read(open_document(cell("_timestamp") + cell("n"), good, first + bad))

    assert (found.codes, found.column("n"), [row for row, _ in found.rejected]) == ([], [1], [3])


def test_parquet_keeps_types_and_nesting(tmp_path):
    import pyarrow
    from pyarrow import parquet

    rows = [
        {"_timestamp": datetime(2024, 1, 31, 9, 0, 0, 500000), "day": date(2024, 1, 1), "n": 2**60, "in": {"a": [1]}},  # noqa: DTZ001
        {"_timestamp": datetime(2024, 1, 31, 10), "day": None, "n": 1, "in": {"a": []}},  # noqa: DTZ001
        {"_timestamp": None, "day": None, "n": 1, "in": None},
    ]
    parquet.write_table(pyarrow.Table.from_pylist(rows), tmp_path / "a.parquet")

    found = read((tmp_path / "a.parquet").read_bytes())

    assert found.records == [
        {"_timestamp": "2024-01-31T09:00:00.500000Z", "day": "2024-01-01", "n": 2**60, "in": {"a": [1]}},
        {"_timestamp": "2024-01-31T10:00:00Z", "n": 1, "in": {"a": []}},
    ]
    assert [row for row, _ in found.rejected] == [3]


def test_the_rows_of_many_row_groups_are_numbered_in_the_order_of_the_file(tmp_path):
    """Also if a column has the name that DuckDB gives its own row numbers."""
    import pyarrow
    from pyarrow import parquet

    rows = [{"_timestamp": "2024-01-01" if n % 2_000 else None, "file_row_number": 9 * n} for n in range(1, 5_001)]
    parquet.write_table(pyarrow.Table.from_pylist(rows), tmp_path / "a.parquet", row_group_size=100)

    found = read((tmp_path / "a.parquet").read_bytes())

    assert found.column("file_row_number") == [9 * n for n in range(1, 5_001) if n % 2_000]
    assert [row for row, _ in found.rejected] == [2_000, 4_000]


def test_json_keeps_types_and_bad_lines_are_rejected():
    good = {"_timestamp": "2024-01-01T00:00:00Z", "a": None, "b": "", "c": [1, {"d": "05"}], "e": 10**30, "f": "1"}
    lines = [
        json.dumps(good),
        "{",
        "[1]",
        '{"_timestamp":"2024-01-01","n":NaN}',
        '{"_timestamp":"2024-01-01","n":1e999}',
    ]

    found = read("\n".join(lines))

    assert found.records == [good]
    assert [row for row, _ in found.rejected] == [2, 3, 4, 5]


def test_a_number_of_mongoexport_that_is_none_is_rejected():
    line = '{"_timestamp":{"$date":"2024-01-01T00:00:00Z"},"n":{"$numberDouble":"%s"}}'

    found = read("\n".join([line % "1.5", line % "NaN"]))

    assert (found.column("n"), [row for row, _ in found.rejected]) == ([1.5], [2])


def test_the_id_of_a_row_depends_on_the_file_and_not_on_the_settings():
    plain, packed = read(ROWS), read(gzip.compress(ROWS.encode()), {"columns": {"n": {"type": "text"}}})

    assert plain.ids == packed.ids
    assert not {*plain.ids} & {*read(ROWS + "\n").ids}


@pytest.mark.parametrize(("place", "codes"), [("XFD40", {"columns"}), ("A1048576", set()), ("Z1000", {"columns"})])
def test_a_stray_cell_far_away_costs_nothing_and_is_asked_about(place, codes):
    change = lambda _, sheet: setattr(sheet[place], "value", "stray")  # noqa: E731

    data = excel(["_timestamp", "n"], *([DAY, n] for n in range(30)), change=change)

    assert set(read(data).codes) == codes
    left_out = {"footer_rows": 1, "other_columns": "leave_out", "columns": {"_timestamp": {}}}
    assert len(read(data, left_out).records) == 30


def test_a_row_that_an_open_document_repeats_a_million_times_is_read_row_by_row():
    day = cell("x", "date", office_date_value="2024-01-01")
    data = open_document(cell("_timestamp"), day)
    row = b'<table:table-row><table:table-cell office:value-type="date"'
    many = data_with(data, row, b'number-rows-repeated="200000"')

    assert len(read(many).records) == 200_000


def test_a_long_text_that_many_cells_name_is_refused():
    long = "x" * 3_000
    data = excel(["_timestamp", *range(100)], *([DAY, *[long] * 100] for _ in range(40)))

    with pytest.raises(UnreadableFile, match="too large together"):
        read(data, {"header_rows": 1, "footer_rows": 0}, max_bytes=200_000)


def test_a_sheet_that_claims_billions_of_cells_is_refused():
    wide = cell("1", "float", office_value="1", table_number_columns_repeated="16384")
    data = open_document(cell("_timestamp"), wide)
    row = b'<table:table-row><table:table-cell office:value-type="float"'
    many = data_with(data, row, b'number-rows-repeated="1000000"')

    with pytest.raises(UnreadableFile, match="more than"):
        read(many)


def data_with(data: bytes, row: bytes, attribute: bytes) -> bytes:
    """Return an .ods file whose row has one more attribute."""
    file = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(file, "w") as new:
        for name in old.namelist():
            content = old.read(name)
            new.writestr(name, content.replace(row, row.replace(b"-row>", b"-row table:" + attribute + b">")))
    return file.getvalue()


def test_a_table_of_2000_columns_is_read():
    names = [f"a name of a column that is rather long {n}" for n in range(1_999)]
    data = ",".join(["_timestamp", *names]) + "\n2024-01-01" + ",1" * 1_999 + "\n"

    assert len(read(data).records[0]) == 2_000
    with pytest.raises(UnreadableFile, match="2000 columns"):
        read(data.replace("_timestamp", "_timestamp,another", 1))
