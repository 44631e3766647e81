"""The content of a summary page whose sections each have a form. Source: docs/reference/console.md §2.2."""

from dataclasses import KW_ONLY, dataclass

from config.console.admin.row_actions import Button


@dataclass(frozen=True, slots=True)
class Fact:
    """A label and a value, with an optional remark or link below them."""

    label: str
    value: object
    remark: str = ""
    _: KW_ONLY
    copy_id: str = ""  # if set, the value is shown in a field with a Copy button
    link: tuple[str, str] | None = None  # label and URL
    is_warning: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A heading with its facts, and the buttons that this person may use; empty: those of the row."""

    slug: str
    title: str
    facts: tuple[Fact, ...]
    buttons: tuple[Button, ...] = ()
