"""The console without scripts, for readers by ear or keyboard, in both colour schemes. Source: Staff console §1.1."""

import json
import re
import uuid
from contextlib import suppress
from urllib.parse import urljoin

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect
from playwright.sync_api import TimeoutError as PlaywrightTimeout

from tests.service import Service

PASSWORD = "a-long-password-1"
ALL = {"resultTypes": ["violations"]}  # what passes is named, and not told of element by element
# All that a scheme changes.
COLOURS = {**ALL, "runOnly": {"type": "rule", "values": ["color-contrast", "link-in-text-block"]}}
MAKING = """
import json
from django.contrib.auth.models import User
from config.console import audit, invites
from config.console.models import BackgroundStep
from notifications.models import CallbackDelivery, Channel, SandboxContent, SandboxMessage
from tests import factories
from tests.datasets import making
from tests.notifications.download.sending import send_file
User.objects.create_superuser("{name}", "", "a-long-password-1")
service = factories.make_service(name="{name}")
template = factories.make_template(service, subject="Hello ((name))", content="High water")
data_set = making.make_data_set("{name}", "volumes")
making.make_token(data_set)
endpoint = factories.make_callback(service)
mina = User.objects.get(username="{name}")
step = BackgroundStep.objects.create(kind="revoke-keys", by=mina, total=1200, position=400, way_back="/admin/")
member = factories.make_team_member(service, "somebody.with.a.very.long.address@department-of-long-names.example.org")
event = audit.record(audit.CLOCK, "removed", object_kind="service", object_id=service.pk, after={{"name": "Tides"}})
email = factories.make_notification(template)
content = SandboxContent(
    to="a@example.org", sender="Tides <t@example.org>", text="See https://quay.example", subject="Tides",
    html="<html lang=en><head><title>T</title></head><body><p>See <a href='https://quay.example'>it</a></p></body></html>",
    headers={{"List-Unsubscribe": "<https://quay.example/" + 60 * "long" + ">"}},
)
print(json.dumps({{
    "arrived": str(SandboxMessage.objects.seal(email.pk, Channel.EMAIL, content).pk),
    "template": str(template.pk),
    "message": str(factories.make_notification(template).pk),
    "apikey": str(factories.make_api_key(service).pk),
    "service": str(service.pk),
    "dataset": data_set.pk,
    "sender": str(factories.make_sms_sender(service).pk),
    "reply": str(factories.make_reply_to(service).pk),
    "callback": str(endpoint.pk),
    "delivery": str(CallbackDelivery.objects.owe_test(endpoint).pk),
    "file": str(send_file(service).row.pk),
    "step": str(step.pk),
    "member": str(member.pk),
    "event": str(event.pk),
    "join": invites.make(by="mina", member_id=member.pk),
    "choose": invites.make(by="mina", user_id=mina.pk),
}}))
"""
OF_ANYBODY = (
    "/admin/login/",
    "/admin/forgot-password/",
    "/admin/notifications/teammember/join/?token={join}",
    "/admin/choose-password/?token={choose}",
    "/docs/",
)
PAGES = (
    "",
    "account/",
    "account/name/",
    "account/second-factor/",
    "confirm/?next=/admin/",
    "password_change/",
    "auth/user/",
    "auth/user/add/",
    "notifications/apikey/",
    "notifications/apikey/add/",
    "notifications/apikey/{apikey}/change/",
    "notifications/apikey/{apikey}/revoke/",
    "notifications/notification/",
    "notifications/notification/{message}/change/",
    "notifications/notification/send/?template={template}",
    "notifications/service/{service}/change/",
    "notifications/service/{service}/limits/",
    "notifications/notification/send/",
    "notifications/template/add/",
    "notifications/template/{template}/change/",
    "notifications/template/{template}/version/?number=1",
    "notifications/guestlistentry/add/",
    "notifications/replytoaddress/",
    "notifications/replytoaddress/{reply}/remove/",
    "notifications/smssender/",
    "notifications/smssender/{sender}/change/",
    "notifications/teammember/",
    "notifications/teammember/{member}/roles/",
    "notifications/attachment/",
    "notifications/attachment/{file}/change/",
    "notifications/attachment/{file}/withdraw/",
    "notifications/callbackendpoint/",
    "notifications/callbackendpoint/{callback}/change/",
    "notifications/callbackdelivery/",
    "notifications/callbackdelivery/{delivery}/change/",
    "datasets/dataset/",
    "datasets/dataset/add/",
    *(f"datasets/dataset/{{dataset}}/{tab}/" for tab in ("overview", "records", "tokens", "retention", "empty")),
    "operations/clean-up/",
    "operations/audit/",
    "operations/audit/{event}/change/",
    "operations/steps/{step}/change/",
    "/sandbox/",
    "/sandbox/messages/{arrived}/",
)
# Fields that look like none, cells that cut what they hold, and whatever the page or a list has to be pushed aside for.
# What scrolls in itself may be wider, and what only readers by ear get is not drawn; the theme frames its search box.
ODD = """
([width]) => [...document.querySelectorAll("body *")].filter((one) => {
    if (!one.checkVisibility()) return false
    const style = getComputedStyle(one)
    const typed = ":is(textarea, select, input:not([type=checkbox], [type=radio], [type=hidden], [type=file], [x-ref]))"
    if (one.matches("#main " + typed) && style.borderTopWidth === "0px") return true
    if (one.id === "result_list") return one.scrollWidth > one.parentElement.clientWidth
    const isCut = one.scrollWidth > one.clientWidth + 1 || one.scrollHeight > one.clientHeight + 1
    if (one.matches("#result_list :is(td, th)") && style.overflowX === "hidden" && isCut) return true
    for (let around = one; around !== document.documentElement; around = around.parentElement)
        if (getComputedStyle(around).clipPath !== "none" || getComputedStyle(around).overflowX === "auto") return false
    return one.getBoundingClientRect().right > width + 1 && !one.closest("#nav-sidebar")
}).map((one) => one.outerHTML.slice(0, 160))
"""


@pytest.fixture(scope="module")
def made(service: Service) -> dict[str, str]:
    """An operator and a service of the same name, with one row of each kind: kind → id."""
    name = f"tides-{uuid.uuid4().hex[:8]}"
    done = service.manage("shell", "-v", "0", "-c", MAKING.format(name=name))
    assert done.returncode == 0, done.stderr
    return {"name": name, **json.loads(done.stdout.splitlines()[-1])}


def sign_in(page: Page, name: str) -> None:
    page.goto("/admin/")
    page.get_by_label("Email address or user name").fill(name)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_label("Password").press("Enter")
    expect(page.get_by_role("heading", name="Overview")).to_be_visible()


def test_no_page_keeps_anybody_out(browser: Browser, service: Service, made: dict[str, str]):
    page = browser.new_page(base_url=service.url)
    problems: list[str] = []
    for place in OF_ANYBODY:
        page.goto(place.format(**made))
        problems += found_by_axe(page) + found_by_eye(page)
    sign_in(page, made["name"])

    for place in PAGES:
        answer = page.goto(urljoin("/admin/", place.format(**made)))
        assert answer is not None
        assert answer.status == 200, place
        problems += found_by_axe(page) + found_by_eye(page)

    assert problems == []
    page.close()


def found_by_axe(page: Page) -> list[str]:
    problems = []
    for scheme, rules in (("light", ALL), ("dark", COLOURS)):
        page.evaluate("dark => document.documentElement.classList.toggle('dark', dark)", scheme == "dark")
        page.evaluate("Promise.all(document.getAnimations().map(one => one.finished.catch(() => null)))")
        found = Axe().run(page, options=rules).response
        assert "color-contrast" in {rule["id"] for rule in found["passes"]}
        problems += [
            f"{page.url} {scheme}: {rule['id']} {node['html'][:200]}"
            for rule in found["violations"]
            if rule["impact"] != "minor"
            for node in rule["nodes"]
        ]
    return problems


def found_by_eye(page: Page) -> list[str]:
    """Return what does not fit or cannot be seen, at the widths of a desk and of a telephone."""
    problems = []
    for width in (1280, 390):
        page.set_viewport_size({"width": width, "height": 860})
        across = page.evaluate("document.documentElement.scrollWidth")
        if across > width:
            problems.append(f"{page.url} is {across} wide at {width}")
        problems += [f"{page.url} at {width}: {found}" for found in page.evaluate(ODD, [width])]
    page.set_viewport_size({"width": 1280, "height": 720})
    return problems


def test_the_panel_of_filters_takes_the_focus_and_gives_it_back(
    browser: Browser, service: Service, made: dict[str, str]
):
    page = browser.new_page(base_url=service.url)
    sign_in(page, made["name"])
    page.goto("/admin/notifications/notification/?status=delivering&channel__exact=email")
    opens = page.get_by_role("button", name="Filters")
    opens.focus()
    page.keyboard.press("Enter")

    expect(page.get_by_role("heading", name="Filters")).to_be_visible()
    expect(page.get_by_role("button", name="Close", exact=True)).to_be_focused()
    assert found_by_axe(page) == []
    page.keyboard.press("Escape")
    expect(page.get_by_role("heading", name="Filters")).to_be_hidden()
    expect(opens).to_be_focused()
    opens.click()
    page.get_by_role("button", name="Close", exact=True).click()
    expect(opens).to_be_focused()

    page.get_by_role("group", name="Filters in force").get_by_role("link", name="Channel: Email").click()
    expect(page).to_have_url(re.compile(r"\?status=delivering$"))
    page.close()


def test_the_code_of_the_second_factor_is_asked_on_a_page_for_everybody(browser: Browser, service: Service):
    name = f"coded-{uuid.uuid4().hex[:8]}"
    making = f"""
from django.contrib.auth.models import User
from tests.config.accounts.codes import enrolled
enrolled(User.objects.create_superuser("{name}", "", "{PASSWORD}"))
"""
    assert service.manage("shell", "-c", making).returncode == 0
    page = browser.new_page(base_url=service.url)
    page.goto("/admin/")
    page.get_by_label("Email address or user name").fill(name)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_label("Password").press("Enter")

    expect(page.get_by_role("heading", level=1)).to_have_count(1)
    assert "/login/code/" in page.url
    assert found_by_axe(page) == []
    page.close()


def test_a_page_has_its_landmarks_and_one_heading_without_scripts(
    browser: Browser, service: Service, made: dict[str, str]
):
    context = browser.new_context(base_url=service.url, java_script_enabled=False)
    page = context.new_page()
    sign_in(page, made["name"])

    for place in ("", "notifications/apikey/", "notifications/template/{template}/change/", "operations/clean-up/"):
        page.goto(f"/admin/{place.format(**made)}")
        for landmark in ("main", "banner"):
            expect(page.get_by_role(landmark)).to_have_count(1)
        expect(page.get_by_role("heading", level=1)).to_have_count(1)
    context.close()


def press_first_tab(page: Page) -> None:
    """A key that comes before the page takes any is lost: then nothing has focus, and it is pressed once more.

    Not too soon: on a busy machine the first may only be late, and both together would go past the first link.
    """
    for _ in range(6):
        page.keyboard.press("Tab")
        with suppress(PlaywrightTimeout):
            page.wait_for_function("document.activeElement !== document.body", timeout=15_000)
            return


def test_a_page_is_reached_and_sent_by_keyboard(browser: Browser, service: Service, made: dict[str, str]):
    page = browser.new_page(base_url=service.url)
    sign_in(page, made["name"])
    press_first_tab(page)
    expect(page.get_by_role("link", name="Skip to the page")).to_be_focused()
    expect(page.get_by_role("link", name="Skip to the page")).to_be_in_viewport()
    page.keyboard.press("Enter")
    page.wait_for_url("**#*")
    page.keyboard.press("Tab")
    expect(page.locator(":focus")).to_have_count(1)
    width = page.locator(":focus").evaluate(
        "one => parseFloat(getComputedStyle(one).outlineWidth) + getComputedStyle(one).boxShadow.length"
    )
    assert width > 0
    page.goto("/admin/datasets/datagroup/add/")
    expect(page.locator("#id_name")).to_be_focused()  # at once: a new row begins with its first field
    page.keyboard.type(f"k{made['name']}")
    page.keyboard.press("Enter")

    expect(page.get_by_role("link", name=f"k{made['name']}", exact=True).first).to_be_visible()
    menu = page.get_by_role("button", name="Menu").first
    menu.focus()
    page.keyboard.press("Enter")
    expect(page.locator("#nav-sidebar")).to_be_hidden()
    page.close()


@pytest.mark.parametrize("width", [1280, 390])
def test_the_work_is_done_without_scripts(browser: Browser, service: Service, made: dict[str, str], width: int):
    context = browser.new_context(
        base_url=service.url, java_script_enabled=False, viewport={"width": width, "height": 900}
    )
    page = context.new_page()
    sign_in(page, made["name"])
    icons = page.locator('[x-on\\:click^="sidebar"]')
    expect(icons).not_to_have_count(0)
    for icon in icons.all():
        expect(icon).to_be_hidden()  # it would open no menu: that stands above the page

    page.goto("/admin/notifications/apikey/add/")
    page.locator("#id_service").select_option(label=made["name"])
    page.locator("#id_name").fill(f"plain-{width}")
    page.get_by_role("button", name="Create API key").click()
    expect(page.locator("#copy-secret")).to_have_value(re.compile(f"^plain-{width}-"))

    page.goto(f"/admin/notifications/notification/send/?template={made['template']}")
    page.locator("#id_recipient").fill("ana@example.org")
    page.get_by_label("name", exact=True).fill(f"Ana {width}")
    page.get_by_label("As a test: nothing leaves").check()
    page.get_by_role("button", name="Check", exact=True).last.click()
    page.get_by_role("button", name="Run 1 test, nothing leaves").click()
    expect(page.get_by_text(f"Hello Ana {width}").first).to_be_visible()

    page.goto("/admin/notifications/notification/")
    page.get_by_role("searchbox").fill("ana@example.org")
    page.get_by_role("searchbox").press("Enter")
    expect(page.get_by_text(f"Hello Ana {width}").first).to_be_visible()
    assert "ana" not in page.url
    page.goto("/admin/notifications/notification/")
    page.get_by_role("link", name="Failed").first.click()
    expect(page.get_by_text(f"Hello Ana {width}")).to_have_count(0)

    page.get_by_role("button", name="Log out").click()
    expect(page.get_by_label("Password").or_(page.get_by_text("signed out")).first).to_be_visible()
    context.close()
