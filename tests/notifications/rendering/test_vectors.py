"""Every case of the rendering contract's vector file but the API's own kind.

Source: docs/reference/rendering.md.
"""

import json
from collections.abc import Callable
from html import escape
from pathlib import Path
from typing import Any

import pytest

from notifications.recipients import email as email_address
from notifications.recipients import normalise, phone
from notifications.rendering import email, placeholders, sanitise, sms
from tests.notifications.rendering.normal_form import normal_form

VECTORS = Path(__file__).parents[2] / "vectors" / "rendering.jsonl"
PHONE_FIELDS = (
    "display",
    "is_international",
    "crown_dependency",
    "country_prefix",
    "rate_multiplier",
    "numeric_sender",
)

Vector = dict[str, Any]  # the keys differ by kind
Check = Callable[[Vector], None]


def check_placeholders(vector: Vector) -> None:
    assert placeholders.find(vector.get("subject", ""), vector["template"]) == vector["expect"]


def check_missing(vector: Vector) -> None:
    missing = placeholders.missing(vector["template"], personalisation=vector["personalisation"])

    assert missing == vector["expect"]
    if "message" in vector:
        assert f"Missing personalisation: {', '.join(missing)}" == vector["message"]


def check_email_api_body(vector: Vector) -> None:
    text = email.render("", vector["template"], vector["personalisation"])

    assert (text.body, text.is_empty) == (vector["expect"], vector["empty"])


def check_unfilled_text(vector: Vector) -> None:
    view = placeholders.unfilled(vector["template"], vector["personalisation"], redact=vector["redact"])

    assert view == vector["expect"]


def check_sms_body(vector: Vector) -> None:
    prefix = vector.get("prefix") if vector.get("show_prefix") else None
    text = sms.render(vector["template"], vector["personalisation"], prefix=prefix)

    assert text.text == vector["expect"]
    assert (text.chars, text.chars_without_prefix) == (vector["chars"], vector["chars_without_prefix"])
    assert (text.fragments, text.non_gsm, text.extended) == (vector["fragments"], vector["non_gsm"], vector["extended"])
    assert (text.is_empty, text.is_too_long) == (vector["empty"], vector["too_long"])


def check_sms_length(vector: Vector) -> None:
    text = sms.render(_repeated(vector), {}, prefix=vector.get("prefix"))

    assert (text.chars, text.chars_without_prefix) == (vector["chars"], vector["chars_without_prefix"])
    assert (text.fragments, text.is_too_long) == (vector["fragments"], vector["too_long"])
    assert text.over_limit_by == vector["over_limit_by"]
    assert text.over_previous_fragment_by == vector["over_previous_fragment_by"]


def check_sms_editor_count(vector: Vector) -> None:
    text = sms.editor_count(vector["template"], prefix=vector.get("prefix"))

    counted = (text.chars, text.chars_without_prefix, text.fragments)
    assert counted == (vector["chars"], vector["chars_without_prefix"], vector["fragments"])


def check_sms_rejected_chars(vector: Vector) -> None:
    assert sms.rejected_characters(vector["template"]) == vector["expect"]


def check_sms_preview_html(vector: Vector) -> None:
    text = sms.render(vector["template"], vector["personalisation"], prefix=vector.get("prefix"))

    assert normal_form(sms.preview_html(text)) == vector["expect"]


def check_email_subject(vector: Vector) -> None:
    text = email.render(vector["subject"], "", vector["personalisation"])

    assert text.subject == vector["expect"]
    assert escape(text.title, quote=False) == vector["expect_html"]


def check_email_html_fragment(vector: Vector) -> None:
    assert normal_form(_email(vector).html) == vector["expect"]


def check_email_plain(vector: Vector) -> None:
    assert _email(vector).plain == vector["expect"]


def check_email_preheader(vector: Vector) -> None:
    assert escape(_email(vector).preheader, quote=False) == vector["expect"]


def check_email_size(vector: Vector) -> None:
    text = email.render("", _repeated(vector), {})

    assert (text.size_bytes, text.is_too_long) == (vector["bytes"], vector["too_long"])


def check_sanitise_value(vector: Vector) -> None:
    sanitised = sanitise.value(vector["value"])
    text = email.EmailText(subject="", filled=sanitised)

    assert sanitised == vector["expect"]
    assert text.plain == vector["expect_plain"]
    assert normal_form(text.html) == vector["expect_html"]


def check_sanitise_request(vector: Vector) -> None:
    sanitised = sanitise.request(vector["personalisation"], vector["sanitise_content_for"])

    assert sanitised.personalisation == vector["expect_personalisation"]
    assert sanitised.changed == vector["expect_sanitised_content"]


def check_phone(vector: Vector) -> None:
    outcome = None
    try:
        if vector.get("service_contact"):
            number: Any = phone.parse_service_contact(vector["input"])
        else:
            number = phone.parse(vector["input"], international=vector["international"], landlines=vector["landline"])
            outcome = number.refused
    except phone.InvalidPhoneNumber as error:
        outcome = error.outcome

    if "error" not in vector:
        assert outcome is None
        assert number.normalised == vector["expect"]
        assert {name: getattr(number, name) for name in PHONE_FIELDS if name in vector} == {
            name: vector[name] for name in PHONE_FIELDS if name in vector
        }
        return
    assert outcome is not None
    assert (outcome, outcome.ui_message) == (vector["error"], vector["ui_message"])
    if "v2_kind" in vector:
        assert (outcome.error.kind, outcome.v2_message) == (vector["v2_kind"], vector["v2_message"])


def check_email_address(vector: Vector) -> None:
    if "error" in vector:
        with pytest.raises(email_address.InvalidEmailAddress, match=vector["error"]):
            email_address.parse(vector["input"])
        return

    address = email_address.parse(vector["input"])

    assert (address.as_given, address.normalised) == (vector["expect"], vector["normalised"])


def check_recipient_match(vector: Vector) -> None:
    assert (normalise(vector["recipient"]) in map(normalise, vector["allowed"])) is vector["expect"]
    assert normalise(vector["recipient"]) == vector["normalised_recipient"]


CHECKS: dict[str, Check] = {
    name.removeprefix("check_"): check for name, check in list(globals().items()) if name.startswith("check_")
}


def _vectors() -> list[Vector]:
    lines = VECTORS.read_text(encoding="utf-8").strip().split("\n")  # splitlines would also split at U+2028
    return [vector for vector in map(json.loads, lines) if vector["kind"] != "v2_validation"]


def _repeated(vector: Vector) -> str:
    repeat = vector["template_repeat"]
    return str(repeat["text"] * repeat["times"] + repeat.get("suffix", ""))


def _email(vector: Vector) -> email.EmailText:
    link = vector.get("unsubscribe_link")
    return email.render("", vector["template"], vector["personalisation"], unsubscribe_url=link)


@pytest.mark.parametrize("vector", _vectors(), ids=lambda vector: vector["id"])
def test_a_vector_of_the_contract_passes(vector: Vector) -> None:
    CHECKS[vector["kind"]](vector)
