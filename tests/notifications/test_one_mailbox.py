"""What is stored about a mailbox counts for every spelling of its email address."""

import pytest

from notifications.delivery import repeats
from notifications.delivery.claiming import Claim, claim_due
from notifications.models import (
    Channel,
    Fallback,
    GuestListEntry,
    Notification,
    RecipientKind,
    RepeatGuard,
    Suppression,
    SuppressionReason,
    SuppressionSource,
    recipient_hash,
)
from notifications.recipients import email, normalise
from notifications.submission.suppressions import listing
from tests import factories

pytestmark = pytest.mark.django_db
SPELLINGS = ["kay@bücher.example", "kay@bu\u0308cher.example", "kay@ｂücher。example", "kay@xn--bcher-kva.example"]
FORMER = "kay@bücher.example"  # the key that earlier releases stored


@pytest.fixture
def service():
    return factories.make_service(repeat_guard_minutes=60)


def suppress(service, spelling: str) -> Suppression:
    row = listing.new(service, email.parse(spelling), source=SuppressionSource.API, created_by="mo")
    row.save()
    return row


def message_to(service, spelling: str, **fields: object) -> Notification:
    template = fields.pop("template", None) or factories.make_template(service)
    return factories.make_notification(template, recipient=spelling, **fields)


def claimed() -> list[Claim]:
    return claim_due(Channel.EMAIL, 10)


@pytest.mark.parametrize("suppressed", SPELLINGS)
def test_a_suppression_stops_an_email_to_every_spelling(service, suppressed):
    suppress(service, suppressed)
    for spelling in SPELLINGS:
        message_to(service, spelling)

    assert [claim.suppressed_by for claim in claimed()] == [SuppressionReason.MANUAL] * len(SPELLINGS)


def test_a_suppression_stops_an_email_that_the_previous_release_stored_during_the_upgrade(service):
    suppress(service, FORMER)
    message_to(service, FORMER, normalised_recipient=FORMER)

    assert claimed()[0].suppressed_by == SuppressionReason.MANUAL


@pytest.mark.parametrize("spelling", SPELLINGS)
def test_a_suppression_that_keeps_a_hash_of_the_former_key_counts(service, spelling):
    row = suppress(service, spelling)
    Suppression.objects.filter(pk=row.pk).update(
        recipient="[erased]", normalised_recipient=recipient_hash.hash_of(FORMER)
    )
    message_to(service, spelling)

    assert claimed()[0].suppressed_by == SuppressionReason.MANUAL
    assert Suppression.objects.of_recipient(normalise(spelling)).get() == row
    reasons = Suppression.objects.reasons(service.pk, Channel.EMAIL, [normalise(spelling)], is_subscription=False)
    assert reasons == {normalise(spelling): SuppressionReason.MANUAL}


def test_the_repeat_guard_knows_every_spelling(service):
    first = message_to(service, SPELLINGS[0], reference="7")
    assert repeats.claim(service, [first]) == {}

    for spelling in SPELLINGS[1:]:
        again = message_to(service, spelling, reference="7", template=first.template)
        assert repeats.find_first(service, again) == first.pk
        assert repeats.claim(service, [again]) == {again.pk: first.pk}


def test_the_repeat_guard_knows_a_message_of_the_previous_release(service):
    former = message_to(service, FORMER, normalised_recipient=FORMER, reference="7")
    equal = repeats._hashes(former.key_type, former.template_id, FORMER, "7")[1]
    RepeatGuard.objects.create(service=service, content_hash=equal, message_id=former.pk)

    again = message_to(service, FORMER, reference="7", template=former.template)

    assert repeats.claim(service, [again]) == {again.pk: former.pk}


def test_a_guest_is_on_the_list_once(service):
    keys = {normalise(spelling) for spelling in SPELLINGS}

    GuestListEntry.objects.create(service=service, kind=RecipientKind.EMAIL, value=FORMER, normalised=keys.pop())

    assert not keys


def test_a_fallback_is_found_by_every_spelling(service):
    text = factories.make_notification(factories.make_template(service))
    fallback = Fallback(message=text, template=text.template, template_version=1)
    fallback.set_content(message_to(service, FORMER, normalised_recipient=FORMER))
    fallback.save()

    for spelling in SPELLINGS:
        assert Fallback.objects.of_recipient(normalise(spelling)).get() == fallback
    assert fallback.content["normalised_recipient"] == normalise(FORMER)
