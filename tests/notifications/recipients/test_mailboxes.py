"""Spellings of one mailbox, hosts that no mail can reach, and characters that nobody sees."""

import pytest

from config.unseen import without_unseen
from notifications.attachments.encryption import FileKey
from notifications.recipients import email, normalise, phone
from notifications.submission import text_keywords

BUECHER = "kay@xn--bcher-kva.example"


@pytest.mark.parametrize(
    "spelling",
    ["kay@bücher.example", "KAY@BÜCHER.example", "kay@bu\u0308cher.example", "kay@bücher。example", BUECHER],
)
def test_every_spelling_is_one_recipient(spelling):
    assert normalise(spelling) == email.parse(spelling).key == BUECHER
    assert email.parse(spelling).ascii.lower() == BUECHER


def test_a_fullwidth_letter_is_that_letter():
    assert normalise("kay6@ｅxample.org") == "kay6@example.org"


@pytest.mark.parametrize("address", ["ana@straße.example", "ana@κλαρας.example"])
def test_a_host_keeps_its_owner(address):
    """Python's codec replaces ß by ss and ς by σ."""
    of_another_owner = address.rpartition("@")[2].encode("idna").decode()

    assert email.parse(address).ascii.rpartition("@")[2] != of_another_owner


@pytest.mark.parametrize(
    "address",
    [
        "a@b.uék-",
        "a@b.-uék",
        "a@b.xn--abc-",
        "a@uék-.example",
        "a@xn--.example",
        "a@b.xn--",
        "a@bé_c.example",
        "a@💩.example",
        f"a@{'é' * 60}.example",
        f"a@{'é.' * 120}example",
    ],
)
def test_a_host_is_checked_after_it_is_encoded(address):
    with pytest.raises(email.InvalidEmailAddress):
        email.parse(address)


@pytest.mark.parametrize(
    "text",
    [
        "\u20687700900123\u2069",
        "\u200e07700900123",
        "07700\u00ad900\u00ad123",
        "07700\u2009900\u2009123",
        "07700\u2007900\u202f123\u200f",
        "\u202a+44 7700 900123\u202c",
    ],
)
def test_characters_that_nobody_sees_are_no_part_of_a_number(text):
    number = phone.parse(text, international=False, landlines=False)

    assert number.normalised == "447700900123"
    assert without_unseen(number.as_given) == number.as_given


@pytest.mark.parametrize(
    "text",
    [
        "\u202aana@example.org\u202c",
        "ana\u00ad@example.org",
        "ana@exam\u2060ple.org",
        "\u2066ana@example.org\u2069",
        "ana@example.org\u2009",
    ],
)
def test_characters_that_nobody_sees_are_no_part_of_an_email_address(text):
    assert email.parse(text).as_given == "ana@example.org"


@pytest.mark.parametrize("text", ["STOP\u200e", "S\u00adTOP", "\u2066stop\u2069", "un\u200bstop"])
def test_characters_that_nobody_sees_are_no_part_of_a_keyword(text):
    assert text_keywords.find(text) is text_keywords.find(without_unseen(text)) is not None


@pytest.mark.parametrize("typed", ["kay@bücher.example", "Kay@ BÜCHER.example", "kay@bu\u0308cher.example", BUECHER])
def test_a_file_opens_for_every_spelling(typed):
    key = FileKey.new()

    assert key.is_email_address(typed, key.email_tag("kay@bücher.example"))
    assert not key.is_email_address("kay@buecher.example", key.email_tag("kay@bücher.example"))


def test_a_file_of_an_earlier_release_opens_for_its_recipient():
    key = FileKey.new()
    earlier = key.email_tag("ana@strasse.example")  # as the codec wrote straße

    assert key.is_email_address("ana@straße.example", earlier)
