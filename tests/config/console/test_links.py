"""A page has no links to pages that its reader may not open, and screen readers can use it."""

import re
from collections import deque

import pytest
from django.utils.html import escape

from notifications.models import Role
from tests import factories
from tests.config.console import markup
from tests.notifications.download.sending import send_file
from tests.people import colleague

LINK = re.compile(r'href="(/admin/[^"#]*)"')
ID = re.compile(r"[0-9a-f]{8}-[0-9a-f-]{27}|(?<=/)\d+(?=/)|=[^&]*")


def shape(place):
    """Return the URL without ids and values, because URLs that differ only in these get the same answer."""
    return ID.sub("…", place)


@pytest.mark.parametrize("roles", [*([role] for role in Role), [Role.SEE_ACTIVITY, Role.MANAGE_API]])
def test_no_link_of_the_console_leads_to_a_403(db, roles):
    service = factories.make_service(name="Tides")
    template = factories.make_template(service)
    factories.make_notification(template)
    factories.make_api_key(service)
    factories.make_callback(service)
    factories.make_reply_to(service)
    factories.make_sms_sender(service)
    factories.make_guest(service)
    send_file(service)
    client = colleague(service, *roles)
    seen, waiting, closed, unusable = set(), deque([("/admin/", "")]), [], {}

    while waiting:
        place, found_on = waiting.popleft()
        if shape(place) in seen or "logout" in place:
            continue
        seen.add(shape(place))
        answer = client.get(place)
        if answer.status_code == 403:
            closed.append((place, found_on))
        elif answer.status_code == 200 and not answer.streaming:
            text = answer.content.decode()
            links = LINK.findall(text)
            unusable |= dict.fromkeys(markup.problems(text), place)
            waiting.extend((link.replace(escape("&"), "&"), place) for link in links)

    assert [f"{found_on} links to {place}" for place, found_on in closed] == []
    assert unusable == {}
    assert len(seen) > 5
