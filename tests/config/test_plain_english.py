"""Texts use plain English and the terms of the glossary. Source: docs/contributing.md."""

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import pytest

from tests.servers import ROOT

PRODUCT = ("config", "datasets", "notifications")
TOOLS = ("tests", "benchmarks")  # their strings are values of tests, so only docstrings and comments count
DOCUMENTS = ("README.md", "CHANGELOG.md", "SECURITY.md", "docs/**/*.md")

# Regular expression of a phrase → what to write instead.
PHRASES = {
    r"\banew\b": "again",
    r"\bfor ever\b": "permanently",
    r"\bin hand\b": "in progress",
    r"\bowes\b": "is due",
    r"\bhangs on\b": "depends on",
    r"\bin vain\b": "without success",
    r"\blets? go of\b": "releases",
    r"\bof one's own\b": "separate",
    r"\bwhose turn\b": "next",
    r"\bin their own words\b": "name the text",
    r"\breseal": "rotate keys",
    r"\brota\b": "fair scheduling",
    r"\b(is|are|be|been|was|were) told\b|\btold (of|by)\b": "reported, shown, called",
    r"\bwhoever\b": "name the person or program",
    r"\bcheckup\b": "health check",
    r"\bas it comes\b": "by default",
    r"\bstands? upon\b": "depends on",
    r"\bon the road\b": "in transit",
    r"\bmended\b": "fixed",
    r"\bnobody wants\b": "name who does not",
    r"\bis let in\b": "may sign in, is accepted",
    r"\bgone wrong\b": "failed",
    r"\bIs the \w+ \w+, ": "If the … is …",
    r"\bours to\b": "Signalbox must",
    r"\btallies\b|\btally\b": "count",
    r"(?<!there )(?<!SCANNER )\b(is|are) none\b": "is not …, there is no …",
    r"(^|[,:;] |\b(of|to|by|for) )[Ww]ho may\b": "name the person: people who may",
    r"\bso long\b": "while, as long as",
    r"\bwho asks\b": "the caller",
    r"\bwhat became of\b": "the status of",
    r"\bas ever\b": "as before",
}
SPELLINGS = {
    r"\bcolors?\b": "colour",
    r"\borganizations?\b": "organisation",
    r"\bauthorized\b": "authorised",
    r"\bcanceled\b": "cancelled",
    r"\bcenter\b": "centre",
    r"\bcustomiz": "customis",
    r"\bpersonaliz": "personalis",
    r"\bsummariz": "summaris",
}


_STRING_OR_COMMENT = re.compile(
    r'''"""(?:\\.|[^\\])*?"""|\'\'\'(?:\\.|[^\\])*?\'\'\'|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|(#[^\n]*)''',
    re.DOTALL,
)  # `tokenize` takes ten times as long


@dataclass(frozen=True, slots=True)
class Module:
    """Texts and names of a Python file, each with its line.

    texts: docstrings and comments
    messages: strings that have a space: labels, help, errors
    names: names that the module defines or uses, and its one-word strings: keys, parts of URLs, log events
    """

    texts: list[tuple[int, str]] = field(default_factory=list)
    messages: list[tuple[int, str]] = field(default_factory=list)
    names: list[tuple[int, str]] = field(default_factory=list)


@cache
def module(path: Path) -> Module:
    """Read a file once for all tests."""
    source = path.read_text()
    found = Module()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            text = ast.get_docstring(node, clean=False)
            if text:
                found.texts.append((node.body[0].lineno, text))
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                found.names.append((node.lineno, name))
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.arg(arg=name):
                found.names.append((node.lineno, name))
            case ast.keyword(arg=str(name)):
                found.names.append((node.lineno, name))
            case ast.Constant(value=str(text)) if " " in text:
                found.messages.append((node.lineno, text))
            case ast.Constant(value=str(name)) if name.isascii() and re.fullmatch(r"[\w./-]+", name):
                found.names.append((node.lineno, name))
    for match in _STRING_OR_COMMENT.finditer(source):
        if match[1]:
            found.texts.append((source.count("\n", 0, match.start()) + 1, match[1]))
    return found


def template_texts(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the lines of a template without its tags and attributes."""
    for number, line in enumerate(path.read_text().splitlines(), start=1):
        yield number, re.sub(r"<[^>]*>|\{%.*?%\}|\{\{.*?\}\}", " ", line)


def document_texts(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the lines of a document without code."""
    for number, line in enumerate(path.read_text().splitlines(), start=1):
        yield number, re.sub(r"`[^`]*`", " ", line)


def texts() -> Iterator[tuple[str, str]]:
    """Yield the place and the text of all prose in the project."""
    for area in PRODUCT:
        for path in sorted((ROOT / area).rglob("*.py")):
            if "migrations" not in path.parts:
                yield from _placed(path, module(path).texts)
                yield from _placed(path, module(path).messages)
    for area in TOOLS:
        for path in sorted((ROOT / area).rglob("*.py")):
            if path != Path(__file__).resolve():  # which has the phrases
                yield from _placed(path, module(path).texts)
    for path in sorted((ROOT / "templates").rglob("*")):
        if path.suffix in {".html", ".txt"}:
            yield from _placed(path, template_texts(path))
    for pattern in DOCUMENTS:
        for path in sorted(ROOT.glob(pattern)):
            yield from _placed(path, document_texts(path))


def _placed(path: Path, found: Iterable[tuple[int, str]]) -> Iterator[tuple[str, str]]:
    for line, text in found:
        yield f"{path.relative_to(ROOT)}:{line}", " ".join(text.split())


@pytest.fixture(scope="module")
def everything() -> list[tuple[str, str]]:
    return list(texts())


@pytest.mark.parametrize(("phrase", "instead"), PHRASES.items())
def test_no_text_uses_an_unclear_phrase(phrase: str, instead: str, everything: list[tuple[str, str]]) -> None:
    assert [place for place, text in everything if re.search(phrase, text)] == [], f"write: {instead}"


@pytest.mark.parametrize(("spelling", "instead"), SPELLINGS.items())
def test_the_interface_is_spelt_in_british_english(spelling: str, instead: str) -> None:
    found = [
        f"{path.relative_to(ROOT)}:{line}"
        for path in sorted((ROOT / "templates").rglob("*.html"))
        for line, text in template_texts(path)
        if "--" not in text and not text.strip().endswith((";", "{")) and re.search(spelling, text, re.IGNORECASE)
    ]

    assert found == [], f"write: {instead}"


def test_comments_and_docstrings_are_found(tmp_path: Path) -> None:
    path = tmp_path / "module.py"
    path.write_text(
        '"""Begin."""\n\n\ndef work() -> None:\n    """Work anew."""  # for ever\n    f("\\"#no", \'#"\')  # end\n'
    )

    assert module(path).texts == [(1, "Begin."), (5, "Work anew."), (5, "# for ever"), (6, "# end")]


# The words of the glossary's "Replaces" column, as parts of names. Beside each: its term, and the names that keep it.
NAMES: dict[str, tuple[str, set[str]]] = {
    "address": ("URL, email address or IP address", {"from_address", "FILES_TRIES_PER_ADDRESS", "network_address"}),
    "addresses": ("URLs, email addresses or IP addresses", set()),
    "anew": ("again", set()),
    "checkup": ("health check", set()),
    "checkups": ("health checks", set()),
    "digest": ("hash", {"digest", "compare_digest", "hexdigest"}),  # of hashlib and hmac
    "fault": ("error", set()),
    "faults": ("errors", set()),
    "figure": ("metric", set()),
    "figures": ("metrics", set()),
    "hold": ("claim, lease", set()),
    "holds": ("claim, lease", set()),
    "passage": ("rate limit", set()),
    "problem": ("error", {"problem"}),  # the name of a column in a download
    "problems": ("errors", set()),
    "recall": ("cache", set()),
    "refusal": ("error, rejection", set()),
    "refusals": ("errors, rejections", {"signalbox_refusals", "refusals"}),  # the former metric; a filter's parameter
    "report": (  # slugs, and the media types of RFC 6522 and RFC 5965
        "delivery receipt",
        {
            "report-credentials",
            "report-credentials-missing",
            "report-unreadable",
            "message/feedback-report",
            "multipart/report",
        },
    ),
    "reseal": ("rotate keys", set()),
    "rota": ("fair scheduling", set()),
    "seal": ("encrypt", set()),
    "sealed": ("encrypted", {"sealed"}),  # part of the context that stored sandbox messages are encrypted with
    "silence": ("circuit breaker", set()),
    "spending": ("daily limit", {"spending_one"}),
    "stretch": ("batch, page", set()),
    "tally": ("metric, count", set()),
    "tell": ("notify, return", set()),
    "ticket": ("wake-up", set()),
    "told": ("notified, shown", set()),
    "turn": ("lease", set()),
}
# Modules whose addresses are all email addresses, or all IP addresses.
OF_ADDRESSES = (
    "config/outbound/",
    "config/web/ip_addresses.py",
    "notifications/admin/services/page.py",
    "notifications/admin/team/forms.py",
    "notifications/api/schema/chapters.py",
    "notifications/attachments/encryption.py",
    "notifications/delivery/providers/mime.py",
    "notifications/delivery/providers/smtp_session.py",
    "notifications/delivery/returned_emails/",
    "notifications/download/reply_to.py",
    "notifications/management/demo_messages.py",
    "notifications/management/provision/people.py",
    "notifications/recipients/email.py",
    "notifications/submission/sending/submit.py",
    "notifications/validation/senders.py",
    "templates/download/reply_to.html",
)
_WORD = re.compile(r"IPv\d|[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_CSS_NAME = re.compile(r"\.([a-z][\w-]*)")
_TEMPLATE_NAME = re.compile(r"\{\{ *([\w.]+)|\{% (?:if|for \w+ in) (?:not )?([\w.]+)|data-([\w-]+)=")


def names() -> Iterator[tuple[str, str]]:
    """Yield the place and the text of each name in the product's code, templates and style sheets."""
    for area in (*PRODUCT, "templates"):
        for path in sorted((ROOT / area).rglob("*")):
            if "migrations" in path.parts or not path.is_file():
                continue
            place = path.relative_to(ROOT).as_posix()
            yield place, path.stem
            if path.suffix == ".py":
                yield from ((f"{place}:{line}", name) for line, name in module(path).names)
            if path.suffix in {".css", ".html"}:
                pattern = _CSS_NAME if path.suffix == ".css" else _TEMPLATE_NAME
                for number, line in enumerate(path.read_text().splitlines(), start=1):
                    yield from ((f"{place}:{number}", "".join(found.groups(""))) for found in pattern.finditer(line))


@pytest.fixture(scope="module")
def every_name() -> list[tuple[str, str, frozenset[str]]]:
    return [(place, name, words_of(name)) for place, name in names()]


@cache
def words_of(name: str) -> frozenset[str]:
    return frozenset(map(str.lower, _WORD.findall(name)))


@pytest.mark.parametrize(("word", "term"), [(word, term) for word, (term, _) in NAMES.items()])
def test_no_name_has_a_word_that_the_glossary_replaces(
    word: str, term: str, every_name: list[tuple[str, str, frozenset[str]]]
) -> None:
    permitted = NAMES[word][1]

    found = [
        f"{place} {name}"
        for place, name, words in every_name
        if word in words
        and name not in permitted
        and not (word.startswith("address") and (place.startswith(OF_ADDRESSES) or words & {"email", "ip", "reply"}))
    ]

    assert found == [], f"write: {term}"
