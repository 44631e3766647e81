"""Write the fault table of docs/testing.md from the tests: `python -m tests.fault_table`.

A test names its case with `@pytest.mark.fault("A1")`, and a script of `benchmarks/faults/` in its docstring,
after "Cases:".
"""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DOCUMENT = ROOT / "docs" / "testing.md"
BEGIN, END = "<!-- fault table: python -m tests.fault_table -->", "<!-- end of the fault table -->"

GROUPS = {
    "Processes": {
        "A1": "A whole worker, a web process or the clock is killed",
        "A2": "Processes of a worker are killed, or hang",
        "A3": "A worker is killed after the provider's 250 and before it is recorded",
        "A4": "A worker is asked to stop under load",
        "A5": "Redis loses its data",
        "A6": "Redis is stopped",
        "A7": "Redis is frozen",
        "A8": "PostgreSQL stops at once",
        "A9": "PostgreSQL is frozen",
        "A10": "The disk of the files is full",
        "A11": "Two clocks run",
        "A12": "A web process is killed during an upload",
        "A13": "The file store is frozen or killed",
        "A14": "clamd is away, frozen, crowded or killed",
        "A15": "clamd sends an invalid response",
    },
    "Providers": {
        "B1": "A provider rejects messages for a while",
        "B2": "A mail server is silent, or sends one byte at a time",
        "B3": "A mail server answers 4xx at any stage",
        "B4": "A mail server answers 5xx at any stage",
        "B5": "The connection ends around the final dot",
        "B6": "A gateway fails",
        "B7": "Receipts come twice, early or out of order",
        "B9": "A callback endpoint fails for days, or never answers",
        "B10": "A provider is slow, and a thousand messages wait before one",
    },
    "Time": {
        "C1": "`iat` of every kind",
        "C2": "The clock of a worker is an hour off",
        "C3": "The night of a file's last day",
    },
    "Many at once": {
        "D1": "Ten thousand POSTs",
        "D2": "The rate limit under many callers",
        "D3": "The daily limit under many callers",
        "D4": "One `Idempotency-Key` fifty times",
        "D5": "Batches of the same ids in different order",
        "D6": "Twenty wrong email addresses at once",
        "D7": "Column files are built, damaged and read at once",
        "D8": "Questions that need much time or memory, and twenty at once",
    },
    "Bodies": {
        "E1": "Lengths and chunks",
        "E2": "Numbers",
        "E3": "Duplicate keys",
        "E4": "Nesting",
        "E5": "NUL and surrogates",
        "E6": "Text that is not UTF-8",
        "E7": "Text that is not JSON",
        "E8": "gzip",
        "E9": "Many values, and large bodies of strangers",
        "E10": "Wrong values",
        "E11": "Mutated bodies",
    },
    "Files": {
        "F1": "Sizes",
        "F2": "base64",
        "F3": "File names",
        "F4": "Files that pretend to have another type",
        "F5": "Archive bombs and passwords",
        "F6": "The EICAR test virus",
        "F7": "Files at rest",
        "F8": "Wrong links",
        "F9": "Expired and withdrawn files",
        "F10": "Cookies",
        "F11": "Headers",
        "F12": "Damaged files",
        "F13": "Clean-up of files is killed, doubled or refused by the store",
        "F14": "The key of a file after the message is handed over",
    },
    "Identity and permissions": {
        "G1": "Forged tokens of the sending API",
        "G3": "Tokens of unknown services and keys",
        "G4": "Ids of another service",
        "G5": "Recipients that a key may not reach",
        "G6": "Tokens of data sets",
        "G7": "Wrong passwords, second factor, sessions",
        "G8": "Forged forms",
    },
    "Injection and outgoing requests": {
        "H1": "Values that contain headers",
        "H2": "Values that contain messages",
        "H3": "Values that contain templates",
        "H4": "Names that contain scripts",
        "H5": "URLs of the private network",
        "H8": "Unexpected errors",
    },
    "Upkeep": {"I2": "Restore, with a new encryption key"},
    "Traps of the Django admin": {
        "T1": "Recipients in URLs",
        "T2": "Columns that filters reveal letter by letter",
        "T3": "Row names that are stored permanently",
        "T4": "Secrets that are shown again",
        "T5": "Counts of millions of rows",
        "T6": "Delete buttons",
        "T7": "An audit that only sees saves of the admin",
        "T8": "Rows of other services",
        "T9": "Previews that run scripts",
        "T10": "Two people edit one row",
        "T11": "Bulk actions",
        "T12": "Local times",
        "T13": "Error pages that show form data",
        "T14": "Guessed passwords",
    },
}
CASES = {case: title for group in GROUPS.values() for case, title in group.items()}


def marked_tests() -> Iterator[tuple[str, str]]:
    """Yield each case and the test that is marked with it, as `path::name`."""
    folder = ROOT / "tests"
    for path in sorted(folder.rglob("test_*.py")):
        source = path.read_text()
        if "mark.fault(" not in source:
            continue
        for node in ast.parse(source).body:
            if isinstance(node, ast.FunctionDef):
                for case in _cases_of(node):
                    yield case, f"{path.relative_to(folder)}::{node.name}"


def _cases_of(function: ast.FunctionDef) -> Iterator[str]:
    for decorator in function.decorator_list:
        if isinstance(decorator, ast.Call) and ast.unparse(decorator.func) == "pytest.mark.fault":
            yield from (ast.literal_eval(argument) for argument in decorator.args)


def scripts() -> Iterator[tuple[str, str]]:
    """Yield each case and the script whose docstring names it."""
    for path in sorted((ROOT / "benchmarks" / "faults").glob("*.py")):
        named = re.search(r"^Cases: (.+)\.$", ast.get_docstring(ast.parse(path.read_text())) or "", re.MULTILINE)
        for case in named[1].split(", ") if named else []:
            yield case, str(path.relative_to(ROOT))


def shown_by() -> dict[str, list[str]]:
    """Return for each case the tests and scripts that show it."""
    found: dict[str, list[str]] = {case: [] for case in CASES}
    for case, place in (*marked_tests(), *scripts()):
        found[case].append(place)
    return found


def table() -> str:
    shown = shown_by()
    rows = ["| Case | Shown by |", "|---|---|"]
    for group, cases in GROUPS.items():
        rows.append(f"| **{group}** | |")
        rows += [
            f"| {case} {title} | {', '.join(f'`{place}`' for place in shown[case])} |" for case, title in cases.items()
        ]
    return "\n".join(rows)


def with_table(text: str) -> str:
    """Return the document with the current table between the two comments."""
    before, rest = text.split(BEGIN)
    return f"{before}{BEGIN}\n{table()}\n{END}{rest.split(END)[1]}"


if __name__ == "__main__":
    DOCUMENT.write_text(with_table(DOCUMENT.read_text()))
