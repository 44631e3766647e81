"""The setting PROVIDERS, and the circuit breakers of failing providers."""

import random
from datetime import UTC, datetime, timedelta

import pytest
from django.core.exceptions import ImproperlyConfigured

from config.circuit_breaker import CircuitBreaker
from notifications.delivery import providers, retry_times
from notifications.delivery.messages import OutgoingSms, PermanentFailure, TemporaryFailure
from notifications.delivery.providers import FAILURES, OPEN_SECONDS, Provider
from notifications.delivery.providers.sandbox import Sandbox
from notifications.models import ProviderCircuit

SMS = OutgoingSms(to="447700900123", content="Hi", sender="PARKS", reference="x", international=False)


def test_the_word_sandbox_is_enough(settings):
    settings.PROVIDERS = ["sandbox"]

    [provider] = providers.configured()

    assert isinstance(provider.adapter, Sandbox)


def test_providers_keep_the_order_of_the_setting(settings):
    settings.PROVIDERS = ["b=smtps://user:p%40ss@mail.example.org", "a=smtp+tls://mail.example.org:2525", "sandbox"]

    assert [provider.name for provider in providers.configured()] == ["b", "a", "sandbox"]


def test_only_providers_of_the_channel_get_a_message(settings):
    settings.PROVIDERS = ["mail=smtp://127.0.0.1:25", "sandbox"]

    assert [provider.name for provider in providers.able_to_take(SMS)] == ["sandbox"]


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
        ["mail=smtp://mail.example.org?colour=red"],
        ["sms=https://:hunter2@gw.example.org?colour=red"],
        ["sms=https://:hunter2@gw.example.org?weight=0"],
        ["sms=https://gw.example.org?weight=1&weight=2"],
        ["sms=https://gw.example.org?token=hunter2&token=hunter2"],
        ["sms=http://gw.example.org"],
        ["sandbox=smtp://mail.example.org"],
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
@pytest.mark.fault("B1")
def test_delays_follow_the_table_within_a_fifth(failures, delay):
    chance = random.SystemRandom()

    delays = [
        retry_times.delay_after(failures, another_provider=False, chance=chance).total_seconds() for _ in range(500)
    ]

    assert 0.8 * delay <= min(delays) < 0.9 * delay
    assert 1.1 * delay < max(delays) <= 1.2 * delay


def test_another_provider_is_tried_at_once_but_only_after_the_first_failure():
    chance = random.SystemRandom()

    assert retry_times.delay_after(1, another_provider=True, chance=chance) == timedelta(0)
    assert retry_times.delay_after(2, another_provider=True, chance=chance) >= timedelta(seconds=24)


@pytest.mark.parametrize(
    ("entry", "has_receipts"),
    [
        ("sandbox", True),
        ("p=smtp://mail.example.org", False),
        ("p=smtps://user:password@mail.example.org", False),
        ("p=https://gateway.example.org", False),
        ("p=https://gateway.example.org?token=t", True),
        ("p=https://gateway.example.org?token=t&receipts=no", False),
        ("p=smpp://id:secret@smsc.example.org", True),
        ("p=smpp://id:secret@smsc.example.org?receipts=no", False),
        ("p=sns://key:secret@eu-west-2", False),
        ("p=sns://key:secret@eu-west-2?topic=arn:aws:sns:eu-west-2:1:t", True),
        ("p=sns://key:secret@eu-west-2?topic=arn:aws:sns:eu-west-2:1:t&receipts=no", False),
        ("p=anymail+postmark://?server_token=t", False),
        ("p=anymail+postmark://?server_token=t&webhook_secret=name:password", True),
        ("p=anymail+postmark://?server_token=t&webhook_secret=name:password&receipts=no", False),
        ("p=anymail+mailgun://?api_key=k&sender_domain=d", False),
        ("p=anymail+mailgun://?api_key=k&sender_domain=d&receipts=yes", True),
        ("p=anymail+mailgun://?api_key=k&sender_domain=d&webhook_signing_key=s", True),
        ("p=anymail+scaleway://?secret_key=k&project_id=p", False),
    ],
)
def test_each_provider_declares_whether_it_reports_deliveries(settings, entry, has_receipts):
    settings.PROVIDERS = [entry]

    [provider] = providers.configured()

    assert provider.adapter.sends_receipts is has_receipts
    assert providers.with_receipts() == ([provider.name] if has_receipts else [])


@pytest.mark.parametrize(
    ("entry", "error"),
    [
        ("p=https://gateway.example.org?receipts=yes", "no secret to check delivery receipts"),
        ("p=sns://key:secret@eu-west-2?receipts=yes", "no secret to check delivery receipts"),
        ("p=anymail+postmark://?server_token=t&receipts=yes", "no secret to check delivery receipts"),
        ("p=smpp://id:secret@smsc.example.org?receipts=maybe", "must be yes or no"),
    ],
)
def test_receipts_without_authentication_stop_the_start(settings, entry, error):
    settings.PROVIDERS = [entry]

    with pytest.raises(ImproperlyConfigured, match=error):
        providers.configured()


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


class Unreliable:
    """A provider with a list of outcomes that counts its calls."""

    name = "unreliable"
    carries = (OutgoingSms,)

    def __init__(self, *answers: Exception) -> None:
        self.answers = list(answers)
        self.asked = 0

    def send(self, message: OutgoingSms) -> None:
        self.asked += 1
        raise self.answers.pop(0)


def ask(provider: Provider) -> None:
    with pytest.raises((TemporaryFailure, PermanentFailure)):
        provider.send(SMS)


def test_five_temporary_failures_in_a_row_open_the_circuit_for_a_minute():
    clock = Clock()
    breaker = CircuitBreaker(failures=FAILURES, open_seconds=OPEN_SECONDS, clock=clock)
    provider = Provider(adapter=Unreliable(*[TemporaryFailure("away")] * 6), breaker=breaker)
    for _ in range(4):
        ask(provider)
    assert provider.breaker.allows()

    ask(provider)
    assert not provider.breaker.allows()

    clock.now += 60
    assert provider.breaker.allows()
    ask(provider)  # the probe
    assert not provider.breaker.allows()


@pytest.mark.django_db
def test_an_answer_resets_the_count_of_failures():
    answers = [TemporaryFailure("away")] * 4 + [PermanentFailure("no such user")] + [TemporaryFailure("away")] * 4
    provider = Provider(adapter=Unreliable(*answers))

    for _ in answers:
        ask(provider)

    assert provider.breaker.allows()


@pytest.mark.django_db
def test_a_rejected_login_opens_the_circuit_for_all_processes_until_a_message_gets_through():
    clock = datetime.now(UTC) - timedelta(seconds=1)
    refusing = Unreliable(
        *[TemporaryFailure("535 at log-in", opens_circuit=True)] * 2, PermanentFailure("no such user")
    )
    provider, elsewhere = Provider(adapter=refusing), Provider(adapter=Unreliable())
    ask(provider)

    assert (provider.allows(), elsewhere.allows()) == (False, False)
    assert ProviderCircuit.objects.get().reason == "535 at log-in"

    ProviderCircuit.objects.update(probe_at=clock)
    assert (provider.allows(), elsewhere.allows()) == (True, False)  # one message a minute over all processes
    ask(provider)
    assert not provider.allows()

    ProviderCircuit.objects.update(probe_at=clock)
    assert provider.allows()
    ask(provider)  # the message was rejected, but not the login
    assert (provider.is_stopped(), elsewhere.is_stopped(), ProviderCircuit.objects.count()) == (
        False,
        False,
        0,
    )


def test_weights_share_the_messages_and_the_others_are_fallbacks(settings):
    settings.PROVIDERS = [
        "reserve=https://r.example.org",
        "large=https://l.example.org?weight=3",
        "small=https://s.example.org?token=x&weight=1",
    ]
    chance = random.Random(20261121)  # noqa: S311  the same order in each run

    orders = [[provider.name for provider in providers.able_to_take(SMS, chance=chance)] for _ in range(2000)]

    assert {order[2] for order in orders} == {"reserve"}
    assert 1400 < sum(order[0] == "large" for order in orders) < 1600


def test_a_provider_with_an_open_circuit_breaker_is_skipped(settings):
    settings.PROVIDERS = ["first=https://one.example.org/?token=a-first", "second=https://two.example.org"]
    first = providers.configured()[0]

    for _ in range(5):
        first.breaker.note_failure()

    assert [provider.name for provider in providers.able_to_take(SMS)] == ["second"]
