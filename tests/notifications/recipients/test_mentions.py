"""One recipient in texts."""

import pytest

from config.erased import ERASED
from notifications.recipients import email, phone
from notifications.recipients.mentions import Mentions

PHONE = Mentions(phone.parse("07700 900123", international=True, landlines=True))
FOREIGN = Mentions(phone.parse("+33 6 98 76 54 32", international=True, landlines=True))
EMAIL = Mentions(email.parse("Ann.Lee+news@Example.org"))
HOST = Mentions(email.parse("ann@bücher.example"))


@pytest.mark.parametrize(
    ("mentions", "written"),
    [
        *((PHONE, text) for text in ("07700900123", "07700 900 123", "+447700900123", "447700900123")),
        *((PHONE, text) for text in ("0044 7700 900123", "+44 (0)7700-900-123", "(07700) 900123", "7700900123")),
        *((PHONE, text) for text in ("%2B447700900123", "07700%20900123", "07700\u00a0900123", "07700.900.123")),
        *((FOREIGN, text) for text in ("+33698765432", "33698765432", "0033 6 98 76 54 32", "%2B33698765432")),
        *((EMAIL, text) for text in ("ann.lee+news@example.org", "ANN.LEE+NEWS@EXAMPLE.ORG")),
        (EMAIL, "ann.lee+news@example.org.pdf"),
        *((EMAIL, text) for text in ("ann.lee%2Bnews%40example.org", "ann.lee+news&#64;example.org")),
        *((HOST, text) for text in ("ann@bücher.example", "ann@xn--bcher-kva.example", "ann%40b%C3%BCcher.example")),
    ],
)
def test_every_spelling_is_found_and_erased(mentions: Mentions, written: str) -> None:
    for text in (written, f"Call {written}.", f"<{written}>", f"https://example.net/?to={written}&x=1", f"({written})"):
        assert mentions.are_in(text)
        assert ERASED in mentions.erase(text)
        assert not mentions.are_in(mentions.erase(text))


@pytest.mark.parametrize(
    ("mentions", "text"),
    [
        (PHONE, "077009001234"),
        (PHONE, "107700900123"),
        (PHONE, "07700 900124"),
        (FOREIGN, "+336987654321"),
        (EMAIL, "joann.lee+news@example.org"),
        (EMAIL, "ann.lee+news@example.org.uk"),
        (EMAIL, "ann.lee+news@example.organic"),
        (EMAIL, "ann.lee@example.org"),
        (HOST, "joann@bücher.example"),
    ],
)
def test_other_recipients_are_left(mentions: Mentions, text: str) -> None:
    assert not mentions.are_in(text)
    assert mentions.erase(text) == text


def test_json_loses_the_recipient_in_texts_and_names() -> None:
    value = {"to": "07700900123", "07700900123": ["a", {"b": "call 07700 900 123"}], "n": 7700900123}
    assert PHONE.erase_in(value) == {"to": ERASED, ERASED: ["a", {"b": f"call {ERASED}"}], "n": 7700900123}


def test_patterns_for_databases_match_encoded_forms() -> None:
    assert EMAIL.like_patterns == ["%ann.lee%news%example.org%"]
    assert HOST.like_patterns == ["%ann%b%cher.example%", "%ann%xn--bcher-kva.example%"]
    assert (PHONE.digits, FOREIGN.digits, EMAIL.digits) == ("7700900123", "33698765432", "")
    assert PHONE.like_patterns == []
