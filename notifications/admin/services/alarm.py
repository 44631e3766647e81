"""The alarm on the failed messages of a service: its facts, and the page that makes it.

Source: docs/reference/alarms.md §5.
"""

from typing import Any

from django.http import HttpRequest, HttpResponse

from config import areas, formats
from config.console.admin.model_admin import ConsoleModelAdmin
from config.console.sections import Fact, Section
from config.data_sets import FailureAlarms
from config.invalid import InvalidValue
from notifications.models import Service

_OFF = "Alarms are part of the data set API, which is switched off in this installation."


def _area() -> FailureAlarms | None:
    return next(iter(areas.parts(FailureAlarms)), None)


def section(request: HttpRequest, service: Service, change: Any) -> Section:
    """Return the section of the service's page. change: as in `page.sections`"""
    area = _area()
    if area is None:
        return Section(slug="alarm", title="Alarm", facts=(Fact("Failed messages", _OFF),))
    found = area.find(request, service.pk)
    if found is None:
        buttons = change("failure-alarm", f"Tell me when failures pass {formats.percent(area.percent)}…")
        return Section(slug="alarm", title="Alarm", buttons=buttons, facts=(Fact("Failed messages", "Not watched"),))
    people = formats.counted(found.people, "person", "people")
    fact = Fact(
        "Failed messages",
        "Raised now" if found.is_raised else "Watched",
        f"{people} get a message when more than {formats.percent(found.percent)} of an hour’s messages fail.",
        link=("View alarm", found.url) if found.url else None,
    )
    return Section(slug="alarm", title="Alarm", buttons=change("failure-alarm", "Tell me, too…"), facts=(fact,))


class FailureAlarmPage(ConsoleModelAdmin):
    """The action of a service's admin that makes the alarm, or adds the person to it."""

    def failure_alarm(self, request: HttpRequest, service: Service) -> HttpResponse:
        area = _area()
        title = f"Watch the failed messages of {service.name}"
        email_address = getattr(request.user, "email", "")
        if area is None:
            return self.error_page(request, service, title, _OFF)
        if not email_address:
            error = "Your account has no email address. Ask an operator to add it."
            return self.error_page(request, service, title, error)
        if request.method == "POST":
            try:
                area.notify(request, service.pk, service.name, email_address)
            except InvalidValue as error:
                return self.error_page(request, service, title, str(error))
            share = formats.percent(area.percent)
            message = f"You get an email when more than {share} of the messages of an hour fail."
            return self.action_done(request, f"{self.row_url(service)}#alarm", message)
        explanation = [
            f"You get an email at {email_address} when more than {formats.percent(area.percent)} of the messages of "
            "the current hour have failed, and one when this ends.",
            "An hour with fewer than 20 messages is not watched. You get at most one email an hour about a new alarm.",
        ]
        return self.action_page(request, service, title, "Watch failed messages", explanation)
