"""Phone numbers and email addresses beyond the vectors. Source: docs/reference/rendering.md §7, §8."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from notifications.recipients import email, normalise, phone, senders

IGNORABLE = "\u00a0\u202f\u180e\u200b\u200c\u200d\u2060\ufeff\u2028\u2029"


def test_a_number_is_stored_as_given_without_invisible_characters() -> None:
    number = phone.parse(f" +44\u00a07700–900{IGNORABLE}123 ", international=False, landlines=False)

    assert number.as_given == "+447700–900123"
    assert number.normalised == "447700900123"


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        ("+33 6 98 76 54 32", phone.PhoneRejection.INTERNATIONAL_NOT_ALLOWED),
        ("0113 496 0027", phone.PhoneRejection.NOT_A_UK_MOBILE),
        ("07700 900123", None),
    ],
)
def test_a_valid_number_without_permission_is_rejected_but_returned(
    text: str, outcome: phone.PhoneRejection | None
) -> None:
    assert phone.parse(text, international=False, landlines=False).refused is outcome


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        ("", phone.PhoneRejection.TOO_SHORT),
        ("0741236587", phone.PhoneRejection.TOO_SHORT),
        ("074123658741", phone.PhoneRejection.TOO_LONG),
        ("08001234567", phone.PhoneRejection.NOT_A_UK_MOBILE),
        ("012149601234", phone.PhoneRejection.NOT_A_UK_MOBILE),
        ("+9991234567", phone.PhoneRejection.UNSUPPORTED_COUNTRY_CODE),
        ("4158961600", phone.PhoneRejection.INVALID_NUMBER),
        ("07612345678", phone.PhoneRejection.INVALID_NUMBER),
        ("07700\n900123", phone.PhoneRejection.UNKNOWN_CHARACTER),
    ],
)
def test_the_examples_of_the_contract_have_their_outcome(text: str, outcome: phone.PhoneRejection) -> None:
    with pytest.raises(phone.InvalidPhoneNumber) as refusal:
        phone.parse(text, international=False, landlines=False)

    assert refusal.value.outcome is outcome
    assert text not in str(refusal.value) or not text


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("+44 7700 90012", "9 digits after the country code; a UK mobile has 10."),
        ("07700 9001234", "11 digits after the leading 0; a UK mobile has 10."),
        ("0113 496 0027", "A UK mobile starts 07, or +447."),
        ("415 555 2671", "Start a UK number with 0, any other with + and its country code."),
        ("+33 6", None),
        ("call me", None),
        ("07700 912345", None),
    ],
)
def test_a_rejected_number_has_a_hint(text: str, hint: str | None) -> None:
    assert phone.hint(text) == hint


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        ("999", phone.PhoneRejection.EMERGENCY_NUMBER),
        ("0113", phone.PhoneRejection.INVALID_NUMBER),
        ("()", phone.PhoneRejection.TOO_SHORT),
        ("ring us", phone.PhoneRejection.UNKNOWN_CHARACTER),
    ],
)
def test_an_invalid_contact_number_is_rejected(text: str, outcome: phone.PhoneRejection) -> None:
    with pytest.raises(phone.InvalidPhoneNumber) as refusal:
        phone.parse_service_contact(text)

    assert refusal.value.outcome is outcome


@given(st.text(alphabet="0123456789+-() ", max_size=25))
def test_any_digits_are_a_number_or_have_an_error(text: str) -> None:
    try:
        number = phone.parse(text, international=True, landlines=True)
    except phone.InvalidPhoneNumber:
        return
    again = phone.parse(f"+{number.normalised}", international=True, landlines=True)
    assert again.normalised == number.normalised


@given(st.text(max_size=60))
def test_any_text_is_an_email_address_or_has_an_error(text: str) -> None:
    try:
        address = email.parse(text)
    except email.InvalidEmailAddress:
        return
    assert address.ascii.partition("@")[2].isascii()
    assert len(address.as_given.splitlines()) == 1


def test_a_unicode_host_is_encoded_for_sending_only() -> None:
    address = email.parse("Fern@Bücher.example")

    assert (address.as_given, address.normalised) == ("Fern@Bücher.example", "fern@bücher.example")
    assert address.ascii == "Fern@xn--bcher-kva.example"


def test_a_recipient_is_found_in_any_spelling() -> None:
    allowed = {normalise("fern@quay.example"), normalise("07700900123")}

    assert normalise("+44 (0)7700 900123") in allowed
    assert normalise("07700900124") not in allowed


@pytest.mark.parametrize("characters", [63, 64, 65, 255])
def test_the_local_part_of_a_sender_has_at_most_64_octets(characters: int) -> None:
    """RFC 5321 §4.5.3.1.1."""
    local_part, _, domain = senders.from_email("x" * characters, "example.org").rpartition("@")

    assert (local_part, domain) == ("x" * min(characters, 64), "example.org")
