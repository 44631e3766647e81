"""One mailbox has one key."""

import pytest

from config import mailboxes
from config.host_names import ascii_host


@pytest.mark.parametrize(
    "spelling",
    [
        "Kay@bücher.example",
        "kay@BÜCHER.example",
        "kay@bu\u0308cher.example",
        "kay@bücher。example",
        "kay@bücher．example",
        "kay@ｂücher.ｅxample",
        "kay@bü\u00adcher.example",
        "kay@XN--BCHER-KVA.example",
        "KAY@xn--bcher-kva.EXAMPLE",
    ],
)
def test_every_spelling_of_a_host_gives_one_key(spelling):
    assert mailboxes.key_of(spelling) == "kay@xn--bcher-kva.example"


@pytest.mark.parametrize(
    ("host", "encoded", "of_another_owner"),
    [
        ("straße.example", "xn--strae-oqa.example", "strasse.example"),
        ("κλαρας.example", "xn--mxaaze5ah.example", "κλαρασ.example"),
    ],
)
def test_a_letter_that_idna_2003_replaces_stays(host, encoded, of_another_owner):
    assert ascii_host(host) == encoded
    assert ascii_host(of_another_owner) != encoded


def test_the_local_part_keeps_its_letters():
    assert mailboxes.key_of("straße@example.org") != mailboxes.key_of("strasse@example.org")


@pytest.mark.parametrize("host", ["uék-.example", "-é.example", "a_é.example", "é" * 64 + ".example", "💩.example"])
def test_a_host_that_no_mail_can_reach_is_no_host(host):
    with pytest.raises(UnicodeError):
        ascii_host(host)


@pytest.mark.parametrize("text", ["", "kay", "@", "kay@", "@example.org", "kay@é_.example", "a@" + "é" * 5000])
def test_any_text_has_a_key(text):
    assert mailboxes.key_of(text.upper()) == mailboxes.key_of(text)
