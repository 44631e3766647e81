"""Pages for people show phone numbers in one form, however callers wrote them."""

import html
import re

import pytest
from django.test import Client

from notifications.models import Channel, Role, Service
from tests import factories
from tests.people import colleague

pytestmark = pytest.mark.django_db

AS_GIVEN, SHOWN, MASKED = "447700900123", "07700 900123", "07•••••123"
MASKED_ON = ("/receivedtext/", "/notification/", "/guestlistentry/")


def seen(client: Client, url: str) -> str:
    """Return the text that people read on a page: without the values of fields, such as those of a copy button."""
    page = client.get(url, follow=True).content.decode().partition("<main")[2]
    return " ".join(html.unescape(re.sub(r"<script.*?</script>|<[^>]*>", " ", page, flags=re.DOTALL)).split())


@pytest.fixture
def pages() -> list[str]:
    """Return a list and a page of each kind of row with a phone number."""
    service: Service = factories.make_service(name="Tides")
    template = factories.make_template(service, Channel.SMS, content="High water")
    rows = (
        factories.make_received_text(service, "Thank you", user_number=AS_GIVEN, notify_number=AS_GIVEN),
        factories.make_notification(template, AS_GIVEN, sms_sender=factories.make_sms_sender(service, AS_GIVEN)),
        factories.make_guest(service, AS_GIVEN),
        factories.make_suppression(service, AS_GIVEN),
        factories.make_team_member(service, "ana@example.org", AS_GIVEN),
        service.sms_senders.get(),
    )
    names = [f"/admin/notifications/{row._meta.model_name}/" for row in rows]
    return [*names, *(f"{name}{row.pk}/change/" for name, row in zip(names, rows, strict=True))]


def test_pages_show_phone_numbers_in_one_form(console: Client, pages: list[str]) -> None:
    texts = {page: seen(console, page) for page in pages}

    assert [page for page, text in texts.items() if AS_GIVEN in text] == []
    in_fields = next(page for page in pages if "/teammember/" in page and page.endswith("/change/"))
    assert [page for page, text in texts.items() if SHOWN not in text] == [in_fields]


def test_a_masked_number_has_the_same_form(pages: list[str]) -> None:
    client = colleague(Service.objects.get(), *(set(Role) - {Role.SEE_RECIPIENTS}))
    texts = {page: seen(client, page) for page in pages if any(name in page for name in MASKED_ON)}

    assert [page for page, text in texts.items() if AS_GIVEN in text or MASKED not in text] == []
