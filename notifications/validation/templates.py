"""Validate templates, however they are saved. Rules that apply only to the editor are in the console's form."""

from config.invalid import InvalidValue
from notifications.rendering import sms
from notifications.rendering.email import MAX_BYTES
from notifications.validation.names import check_name

MAX_NAME_CHARACTERS = 255
MAX_SUBJECT_CHARACTERS = 1000


def parse_template_name(text: str) -> str:
    """Return the name of a template as it is stored, or raise InvalidValue."""
    name = text.strip()
    if not name:
        raise InvalidValue("Enter a name.")
    if len(name) > MAX_NAME_CHARACTERS:
        raise InvalidValue(f"Use at most {MAX_NAME_CHARACTERS} characters; this has {len(name)}.")
    check_name(name)
    return name


def check_subject(subject: str) -> None:
    """Raise InvalidValue if the subject of an email is empty, too long or not on one line."""
    if not subject.strip():
        raise InvalidValue("Enter a subject.")
    if len(subject.splitlines()) > 1:
        raise InvalidValue("Enter the subject on one line, without line breaks.")
    if len(subject) > MAX_SUBJECT_CHARACTERS:
        raise InvalidValue(f"Use at most {MAX_SUBJECT_CHARACTERS} characters; this has {len(subject)}.")


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
