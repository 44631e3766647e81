"""Validate the tags of a template: words that group templates in the list."""

from collections.abc import Iterable

from config.invalid import InvalidValue
from notifications.validation.names import check_name

MAX_TAGS = 10
MAX_TAG_CHARACTERS = 40


def parse_tags(given: Iterable[str]) -> list[str]:
    """Return the tags in lower case, sorted and each once. Raises InvalidValue.

    >>> parse_tags(["Flood warnings", " spring ", "", "Spring"])
    ['flood warnings', 'spring']
    """
    tags = sorted({" ".join(tag.split()).lower() for tag in given} - {""})
    for tag in tags:
        if len(tag) > MAX_TAG_CHARACTERS:
            raise InvalidValue(f"Use at most {MAX_TAG_CHARACTERS} characters for a tag. “{tag}” has {len(tag)}.")
        if "," in tag:
            raise InvalidValue(f"Remove the comma from the tag “{tag}”.")
        check_name(tag)
    if len(tags) > MAX_TAGS:
        raise InvalidValue(f"Enter at most {MAX_TAGS} tags. You entered {len(tags)}.")
    return tags


def typed_tags(text: str) -> list[str]:
    """Return the tags in a text that separates them with commas. Raises InvalidValue."""
    return parse_tags(text.split(","))
