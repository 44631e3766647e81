"""Validate templates, however they are saved: in the console, by the API, from files and by `provision`."""

from collections.abc import Collection, Iterator, Mapping, Sequence

from config.invalid import InvalidValue
from notifications.rendering import placeholders, sms
from notifications.rendering.email import MAX_BYTES
from notifications.validation.languages import MAX_LANGUAGES, parse_language

MAX_SUBJECT_CHARACTERS = 1000
MAX_DEFAULT_CHARACTERS = 5_000
MAX_FILES = 10

Translation = Mapping[str, str | None]


def check_subject(subject: str) -> None:
    """Raise InvalidValue if the subject of an email is empty, too long or not on one line."""
    if not subject.strip():
        raise InvalidValue("Enter a subject.")
    if len(subject.splitlines()) > 1:
        raise InvalidValue("Enter the subject on one line, without line breaks.")
    if len(subject) > MAX_SUBJECT_CHARACTERS:
        raise InvalidValue(f"Use at most {MAX_SUBJECT_CHARACTERS} characters. You entered {len(subject)}.")


def check_defaults(defaults: Mapping[str, str], *texts: str) -> None:
    """Raise InvalidValue if a default is too long, or belongs to no placeholder of the texts."""
    for _, reason in find_default_errors(defaults, *texts):
        raise InvalidValue(reason)
    if len({placeholders.key(name) for name in defaults}) < len(defaults):
        raise InvalidValue("Give each placeholder one default value.")


def find_default_errors(defaults: Mapping[str, str], *texts: str) -> Iterator[tuple[str, str]]:
    """Yield the errors of default values: the name of the placeholder and the reason."""
    known = placeholders.keys(*texts)
    for name, text in defaults.items():
        if placeholders.key(name) not in known:
            yield name, f"The text has no placeholder (({name})), so remove its default value."
        if len(text) > MAX_DEFAULT_CHARACTERS:
            limit = f"Use at most {MAX_DEFAULT_CHARACTERS} characters for the default value of {name}."
            yield name, f"{limit} You entered {len(text)}."


def check_translations(language: str, translations: Sequence[Translation], *, is_text_message: bool) -> None:
    """Raise InvalidValue if a language is wrong or occurs twice, or if a text in one of them is invalid.

    language: of the first text; translations: `[{"language", "subject", "content"}]`, as stored
    """
    _check_code(language)
    if len(translations) >= MAX_LANGUAGES:
        raise InvalidValue(f"Use at most {MAX_LANGUAGES} languages. You entered {len(translations) + 1}.")
    for index, field, reason in find_translation_errors(language, translations, is_text_message=is_text_message):
        raise InvalidValue(reason if field == "language" else f"{translations[index]['language']}: {reason}")


def find_translation_errors(
    language: str, translations: Sequence[Translation], *, is_text_message: bool
) -> Iterator[tuple[int, str, str]]:
    """Yield the errors of texts in further languages: the index of the text, its field, and the reason."""
    codes = [language]
    for index, one in enumerate(translations):
        code, subject, content = (one[name] or "" for name in ("language", "subject", "content"))
        try:
            _check_code(code)
        except InvalidValue as error:
            yield index, "language", str(error)
        if code in codes:
            yield index, "language", f"The language {code} occurs twice. Remove one of the texts."
        codes.append(code)
        for field, reason in find_errors(subject, content, is_text_message=is_text_message, is_strict=False):
            yield index, field, reason


def _check_code(code: str) -> None:
    if parse_language(code) != code:
        raise InvalidValue(f"Enter the language code “{code}” as “{parse_language(code)}”.")


def check_files(names: Collection[str]) -> None:
    """Raise InvalidValue if a name of a fixed file is not a placeholder or occurs twice, or if there are too many."""
    for name in names:
        if not placeholders.key(name) or placeholders.find(f"(({name}))") != [name]:
            raise InvalidValue("Enter the name of a placeholder, without brackets and question marks.")
    if len({placeholders.key(name) for name in names}) < len(names):
        raise InvalidValue("Give each placeholder one file.")
    if len(names) > MAX_FILES:
        raise InvalidValue(f"A template can have at most {MAX_FILES} files. Remove one first.")


def find_errors(
    subject: str | None, content: str | None, *, is_text_message: bool, is_strict: bool = True
) -> list[tuple[str, str]]:
    """Return the errors of a text as pairs of field and reason. None: a missing or already rejected value.

    is_strict: also refuse characters that a text message cannot contain. `provision` and further languages accept
    them, as values may contain them.
    """
    found: list[tuple[str, str]] = []
    if not is_text_message:
        try:
            check_subject(subject or "")
        except InvalidValue as error:
            found.append(("subject", str(error)))
    if content is None:
        return found
    if is_text_message and is_strict:
        found += [("content", error) for error in _lost_characters(content)]
    try:
        check_content(content, is_text_message=is_text_message)
    except InvalidValue as error:
        found.append(("content", str(error)))
    return found


def check_content(content: str, *, is_text_message: bool) -> None:
    """Raise InvalidValue if the text is empty, or too long even without personalisation."""
    if not content.strip():
        raise InvalidValue("Enter the message.")
    if not is_text_message:
        if len(content.encode()) > MAX_BYTES:
            raise InvalidValue(f"The message is over {MAX_BYTES:,} bytes. Shorten it.")
        return
    over = sms.editor_count(content).over_limit_by
    if over:
        characters = "1 character" if over == 1 else f"{over} characters"
        raise InvalidValue(f"The message is {characters} over the limit of {sms.MAX_CHARACTERS}.")


def _lost_characters(content: str) -> list[str]:
    lost = sms.rejected_characters(content)
    if not lost:
        return []
    named = ", ".join(lost[: sms.NAMED_REJECTED_CHARACTERS])
    return [f"A text message cannot contain {named}. It would arrive as a question mark."]
