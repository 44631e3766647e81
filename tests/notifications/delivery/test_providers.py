"""The setting PROVIDERS, and leaving a provider alone that fails."""

import random
from datetime import UTC, datetime, timedelta

import pytest
from django.core.exceptions import ImproperlyConfigured

from notifications.delivery import providers, retries
from notifications.delivery.carrier import Carrier
from notifications.delivery.circuit import Circuit
from notifications.delivery.messages import OutgoingSms, PermanentFailure, TemporaryFailure
from notifications.delivery.providers.sandbox import Sandbox
from notifications.models import ProviderPause

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
def test_delays_grow_by_the_table_within_a_fifth(failures, delay):
    chance = random.SystemRandom()

    delays = [retries.delay_after(failures, another_provider=False, chance=chance).total_seconds() for _ in range(500)]

    assert 0.8 * delay <= min(delays) < 0.9 * delay
    assert 1.1 * delay < max(delays) <= 1.2 * delay


def test_another_provider_is_tried_at_once_but_only_after_the_first_failure():
    chance = random.SystemRandom()

    assert retries.delay_after(1, another_provider=True, chance=chance) == timedelta(0)
    assert retries.delay_after(2, another_provider=True, chance=chance) >= timedelta(seconds=24)


@pytest.mark.parametrize(
    ("entry", "reports"),
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
def test_each_provider_declares_whether_it_reports_deliveries(settings, entry, reports):
    settings.PROVIDERS = [entry]

    [carrier] = providers.configured()

    assert carrier.provider.reports_deliveries is reports
    assert providers.reporting() == ([carrier.name] if reports else [])


@pytest.mark.parametrize(
    ("entry", "fault"),
    [
        ("p=https://gateway.example.org?receipts=yes", "nothing by which a receipt could be checked"),
        ("p=sns://key:secret@eu-west-2?receipts=yes", "nothing by which a receipt could be checked"),
        ("p=anymail+postmark://?server_token=t&receipts=yes", "nothing by which a receipt could be checked"),
        ("p=smpp://id:secret@smsc.example.org?receipts=maybe", "must be yes or no"),
    ],
)
def test_receipts_that_nobody_could_believe_stop_the_start(settings, entry, fault):
    settings.PROVIDERS = [entry]

    with pytest.raises(ImproperlyConfigured, match=fault):
        providers.configured()


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
    assert carrier.circuit.allows()

    ask(carrier)
    assert not carrier.circuit.allows()

    clock.now += 60
    assert carrier.circuit.allows()
    ask(carrier)  # the probe
    assert not carrier.circuit.allows()


@pytest.mark.django_db
def test_an_answer_in_between_starts_the_count_afresh():
    answers = [TemporaryFailure("away")] * 4 + [PermanentFailure("no such user")] + [TemporaryFailure("away")] * 4
    carrier = Carrier(provider=Unreliable(*answers))

    for _ in answers:
        ask(carrier)

    assert carrier.circuit.allows()


@pytest.mark.django_db
def test_a_refusal_of_us_pauses_for_all_processes_until_a_message_gets_through():
    clock = datetime.now(UTC) - timedelta(seconds=1)
    refusing = Unreliable(*[TemporaryFailure("535 at log-in", is_our_fault=True)] * 2, PermanentFailure("no such user"))
    carrier, elsewhere = Carrier(provider=refusing), Carrier(provider=Unreliable())
    ask(carrier)

    assert (carrier.lets_in(), elsewhere.lets_in()) == (False, False)
    assert ProviderPause.objects.get().reason == "535 at log-in"

    ProviderPause.objects.update(probe_at=clock)
    assert (carrier.lets_in(), elsewhere.lets_in()) == (True, False)  # one message a minute, whoever has it
    ask(carrier)
    assert not carrier.lets_in()

    ProviderPause.objects.update(probe_at=clock)
    assert carrier.lets_in()
    ask(carrier)  # refused, but not us
    assert (carrier.is_paused(), elsewhere.is_paused(), ProviderPause.objects.count()) == (False, False, 0)


def test_weights_share_the_messages_and_the_others_stand_behind(settings):
    settings.PROVIDERS = [
        "reserve=https://r.example.org",
        "large=https://l.example.org?weight=3",
        "small=https://s.example.org?token=x&weight=1",
    ]
    chance = random.Random(20261121)  # noqa: S311  the same draws each time

    orders = [[carrier.name for carrier in providers.able_to_take(SMS, chance=chance)] for _ in range(2000)]

    assert {order[2] for order in orders} == {"reserve"}
    assert 1400 < sum(order[0] == "large" for order in orders) < 1600


def test_one_with_an_open_circuit_is_skipped(settings):
    settings.PROVIDERS = ["first=https://one.example.org/?token=a-first", "second=https://two.example.org"]
    first = providers.configured()[0]

    for _ in range(5):
        first.circuit.note_failure()

    assert [carrier.name for carrier in providers.able_to_take(SMS)] == ["second"]
