"""The setting PROVIDERS, and leaving a provider alone that fails."""

import random
from datetime import timedelta

import pytest
from django.core.exceptions import ImproperlyConfigured

from notifications.delivery import providers, retries
from notifications.delivery.circuit import Circuit
from notifications.delivery.messages import OutgoingSms, PermanentFailure, TemporaryFailure
from notifications.delivery.providers import Carrier
from notifications.delivery.providers.sandbox import Sandbox

SMS = OutgoingSms(to="447700900123", content="Hi", sender="PARKS", reference="x", international=False)


def test_the_word_sandbox_is_enough(settings):
    settings.PROVIDERS = ["sandbox"]

    [carrier] = providers.configured()

    assert isinstance(carrier.provider, Sandbox)


def test_providers_keep_the_order_of_the_setting(settings):
    settings.PROVIDERS = ["b=smtps://user:p%40ss@mail.example.org", "a=smtp+tls://mail.example.org:2525", "sandbox"]

    assert [carrier.name for carrier in providers.configured()] == ["b", "a", "sandbox"]


def test_only_who_carries_the_kind_may_take_a_message(settings):
    settings.PROVIDERS = ["mail=smtp://127.0.0.1:25", "sandbox"]

    assert [carrier.name for carrier in providers.able_to_take(SMS)] == ["sandbox"]


@pytest.mark.parametrize(
    "value",
    [
        [],
        ["smtp://mail.example.org"],
        ["mail=pigeon://loft.example.org"],
        ["mail="],
        ["Mail=smtp://mail.example.org"],
        ["mail=smtp://"],
        ["mail=smtp://mail.example.org:port"],
        ["mail=smtp://mail.example.org/path"],
        ["mail=smtp://user:hunter2@mail.example.org:port"],
        ["mail=smtp://one.example.org", "mail=smtp://two.example.org"],
    ],
)
def test_a_wrong_value_names_the_setting_and_shows_no_password(settings, value):
    settings.PROVIDERS = value

    with pytest.raises(ImproperlyConfigured, match="PROVIDERS") as error:
        providers.configured()

    assert "hunter2" not in str(error.value)


@pytest.mark.parametrize(
    ("failures", "delay"),
    [(1, 5), (2, 30), (3, 120), (4, 300), (5, 900), (6, 1800), (7, 3600), (8, 3600), (70, 3600)],
)
def test_delays_grow_by_the_table_within_a_fifth(failures, delay):
    chance = random.SystemRandom()

    delays = [retries.delay_after(failures, another_provider=False, chance=chance).total_seconds() for _ in range(500)]

    assert 0.8 * delay <= min(delays) < 0.9 * delay
    assert 1.1 * delay < max(delays) <= 1.2 * delay


def test_another_provider_is_tried_at_once_but_only_after_the_first_failure():
    chance = random.SystemRandom()

    assert retries.delay_after(1, another_provider=True, chance=chance) == timedelta(0)
    assert retries.delay_after(2, another_provider=True, chance=chance) >= timedelta(seconds=24)


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


class Unreliable:
    """A provider that does what its list says, and counts how often it was asked."""

    name = "unreliable"
    carries = (OutgoingSms,)

    def __init__(self, *answers: Exception) -> None:
        self.answers = list(answers)
        self.asked = 0

    def send(self, message: OutgoingSms) -> None:
        self.asked += 1
        raise self.answers.pop(0)


def ask(carrier: Carrier) -> None:
    with pytest.raises((TemporaryFailure, PermanentFailure)):
        carrier.send(SMS)


def test_five_temporary_failures_in_a_row_open_the_circuit_for_a_minute():
    clock = Clock()
    carrier = Carrier(provider=Unreliable(*[TemporaryFailure("away")] * 6), circuit=Circuit(clock))
    for _ in range(4):
        ask(carrier)
    assert carrier.may_take(SMS)

    ask(carrier)
    assert not carrier.may_take(SMS)

    clock.now += 60
    assert carrier.may_take(SMS)
    ask(carrier)  # the probe
    assert not carrier.may_take(SMS)


def test_an_answer_in_between_starts_the_count_afresh():
    answers = [TemporaryFailure("away")] * 4 + [PermanentFailure("no such user")] + [TemporaryFailure("away")] * 4
    carrier = Carrier(provider=Unreliable(*answers))

    for _ in answers:
        ask(carrier)

    assert carrier.may_take(SMS)


def test_a_refusal_of_us_pauses_at_once():
    carrier = Carrier(provider=Unreliable(TemporaryFailure("535", is_our_fault=True)))

    ask(carrier)

    assert not carrier.may_take(SMS)
