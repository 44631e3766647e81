"""The differences between two texts, word by word. Source: docs/reference/console.md §3.2."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

MAX_LINES = 1_000  # of one text; longer ones are shown as different as a whole
MAX_WORDS = 2_000  # of one segment that differs

_WORD = re.compile(r"\(\([^()]+\)\)|\w+|\s|[^\w\s]")  # a placeholder is one word


@dataclass(frozen=True, slots=True)
class ComparedPiece:
    """A part of a text. is_changed: the other text does not have it"""

    text: str
    is_changed: bool = False


@dataclass(frozen=True, slots=True)
class TextSegment:
    """Some lines of both texts, side by side. is_same: they are equal"""

    before: Sequence[ComparedPiece]
    after: Sequence[ComparedPiece]
    is_same: bool = False


def segments(before: str, after: str) -> list[TextSegment]:
    """Return the segments of two texts in their order.

    >>> [segment] = segments("Dear ((name))", "Dear ((first name))")
    >>> [piece.text for piece in segment.after], [piece.is_changed for piece in segment.after]
    (['Dear ', '((first name))'], [False, True])
    """
    first, second = before.split("\n"), after.split("\n")
    if max(len(first), len(second)) > MAX_LINES:
        return [_equal(before)] if before == after else [_segment(before, after)]
    return list(_by_line(first, second))


def _by_line(first: Sequence[str], second: Sequence[str]) -> Iterator[TextSegment]:
    for kind, start, end, other_start, other_end in SequenceMatcher(None, first, second).get_opcodes():
        before, after = "\n".join(first[start:end]), "\n".join(second[other_start:other_end])
        yield _equal(before) if kind == "equal" else _segment(before, after)


def _equal(text: str) -> TextSegment:
    return TextSegment([ComparedPiece(text)], [ComparedPiece(text)], is_same=True)


def _segment(before: str, after: str) -> TextSegment:
    first, second = _WORD.findall(before), _WORD.findall(after)
    if max(len(first), len(second)) > MAX_WORDS:
        return TextSegment([ComparedPiece(before, is_changed=True)], [ComparedPiece(after, is_changed=True)])
    left, right = [], []
    for kind, start, end, other_start, other_end in SequenceMatcher(None, first, second).get_opcodes():
        left.append(ComparedPiece("".join(first[start:end]), is_changed=kind != "equal"))
        right.append(ComparedPiece("".join(second[other_start:other_end]), is_changed=kind != "equal"))
    return TextSegment([piece for piece in left if piece.text], [piece for piece in right if piece.text])
