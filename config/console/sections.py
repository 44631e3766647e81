"""A page that is read section by section, each with its own small form. Source: Staff console §2.2."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """One line of a section: what it is, its value, and a remark or a link below it."""

    label: str
    value: object
    remark: str = ""
    copy_id: str = ""  # where set, the value stands in a field with *Copy*
    link: tuple[str, str] | None = None  # label and address
    is_warning: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A heading with its facts, and the buttons this person may use: label and address."""

    slug: str
    title: str
    facts: tuple[Fact, ...]
    buttons: tuple[tuple[str, str], ...] = ()
