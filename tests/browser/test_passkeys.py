"""Add and use passkeys in Chromium, whose virtual authenticator makes real keys and signatures.

Source: docs/reference/console.md §3.12; docs/reference/security.md §5.
"""

import re
import uuid
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from playwright.sync_api import Browser, CDPSession, Page, expect

from tests.browser.looks import Looks
from tests.browser.signing_in import PASSWORD, sign_in
from tests.service import Service

LAPTOP = {
    "protocol": "ctap2",
    "transport": "internal",
    "hasResidentKey": True,
    "hasUserVerification": True,
    "isUserVerified": True,
    "automaticPresenceSimulation": True,
}


@dataclass(frozen=True, slots=True)
class Person:
    name: str
    page: Page
    device: CDPSession
    authenticator: str

    def verify(self, *, is_right: bool) -> None:
        """Let the device find that the finger is the person's, or that it is not."""
        wish = {"authenticatorId": self.authenticator, "isUserVerified": is_right}
        self.device.send("WebAuthn.setUserVerified", wish)

    def press(self, name: str) -> None:
        self.page.get_by_role("button", name=name, exact=True).click()

    def add(self, name: str) -> None:
        self.page.goto("/admin/account/")
        self.page.get_by_role("link", name="Add passkey", exact=True).click()
        self.page.get_by_label("Name of the passkey").fill(name)
        self.press("Add passkey")

    def leave(self) -> None:
        self.page.context.clear_cookies()
        self.page.goto("/admin/")


@pytest.fixture
def url(service: Service) -> str:
    return service.url.replace("127.0.0.1", "localhost")  # browsers allow no passkeys at IP addresses


@pytest.fixture
def person(browser: Browser, service: Service, url: str) -> Iterator[Person]:
    """Create an operator who is signed in, and give the browser a device for passkeys."""
    name = f"key-{uuid.uuid4().hex[:8]}"
    making = f"from django.contrib.auth.models import User; User.objects.create_superuser('{name}', '', '{PASSWORD}')"
    done = service.manage("shell", "-v", "0", "-c", making)
    assert done.returncode == 0, done.stderr
    context = browser.new_context(base_url=url)
    page = context.new_page()
    device = context.new_cdp_session(page)
    device.send("WebAuthn.enable")
    made = device.send("WebAuthn.addVirtualAuthenticator", {"options": LAPTOP})
    sign_in(page, name)
    yield Person(name, page, device, made["authenticatorId"])
    context.close()


def test_a_person_adds_a_passkey_and_signs_in_with_it_alone(person: Person):
    looks, page = Looks(), person.page
    person.add("Work laptop")
    expect(page.get_by_role("heading", name="Your recovery codes")).to_be_visible()
    assert looks.problems(page) == []
    page.get_by_role("link", name="Continue to your account").click()
    expect(page.get_by_role("rowheader", name="Work laptop")).to_be_visible()
    assert looks.problems(page) == []

    person.leave()
    assert looks.problems(page) == []
    person.press("Sign in with a passkey")

    expect(page.get_by_role("heading", name="Dashboard")).to_be_visible()
    page.goto("/admin/account/")
    expect(page.get_by_role("row", name=re.compile("Work laptop"))).not_to_contain_text("Never")


def test_a_passkey_replaces_the_code_after_the_password(person: Person):
    person.add("Work laptop")
    expect(person.page.get_by_role("heading", name="Your recovery codes")).to_be_visible()

    person.leave()
    person.page.get_by_label("Email address or user name").fill(person.name)
    person.page.get_by_label("Password").fill(PASSWORD)
    person.page.get_by_label("Password").press("Enter")
    expect(person.page.get_by_role("heading", name="Use your passkey")).to_be_visible()
    assert Looks().problems(person.page) == []
    person.press("Use a passkey")

    expect(person.page.get_by_role("heading", name="Dashboard")).to_be_visible()


def test_a_device_that_does_not_know_the_person_signs_nobody_in(person: Person):
    person.add("Work laptop")
    expect(person.page.get_by_role("heading", name="Your recovery codes")).to_be_visible()
    person.leave()
    person.verify(is_right=False)

    person.press("Sign in with a passkey")

    expect(person.page.get_by_role("alert").filter(visible=True)).to_contain_text("No passkey was used.")
    assert Looks().problems(person.page) == []
    person.verify(is_right=True)
    person.press("Sign in with a passkey")
    expect(person.page.get_by_role("heading", name="Dashboard")).to_be_visible()


def test_a_device_adds_one_passkey_for_an_account(person: Person):
    person.add("Work laptop")
    expect(person.page.get_by_role("heading", name="Your recovery codes")).to_be_visible()

    person.add("Work laptop again")

    expect(person.page.get_by_role("alert").filter(visible=True)).to_contain_text(
        "has a passkey for your account already"
    )


def test_a_wrong_name_is_shown_before_the_device_is_asked(person: Person):
    person.add("")

    expect(person.page.get_by_role("alert").filter(visible=True)).to_contain_text("Enter a name for the passkey.")
    assert Looks().problems(person.page) == []
    assert person.device.send("WebAuthn.getCredentials", {"authenticatorId": person.authenticator})["credentials"] == []


def test_a_removed_passkey_signs_nobody_in(person: Person):
    page = person.page
    person.add("Work laptop")
    page.get_by_role("link", name="Continue to your account").click()
    page.get_by_role("link", name="Rename Work laptop").click()
    page.get_by_label("Name of the passkey").fill("Old laptop")
    person.press("Save name")
    page.get_by_role("link", name="Remove Old laptop").click()
    assert Looks().problems(page) == []
    person.press("Remove passkey")
    expect(page.get_by_text("The passkey Old laptop is removed.")).to_be_visible()

    person.leave()
    person.press("Sign in with a passkey")

    expect(page.get_by_text("This passkey was not accepted.")).to_be_visible()
    assert Looks().problems(page) == []


def test_a_passkey_confirms_a_sign_in(person: Person):
    page = person.page
    person.add("Work laptop")
    expect(page.get_by_role("heading", name="Your recovery codes")).to_be_visible()
    page.goto("/admin/confirm/?next=/admin/account/name/")
    assert Looks().problems(page) == []

    person.press("Use a passkey")

    expect(page).to_have_url(re.compile("/admin/account/name/$"))


def test_without_scripts_there_is_no_button_and_the_page_says_why(browser: Browser, person: Person, url: str):
    context = browser.new_context(base_url=url, java_script_enabled=False)
    page = context.new_page()

    page.goto("/admin/")
    expect(page.get_by_role("button", name="Sign in with a passkey")).to_have_count(0)
    sign_in(page, person.name)
    page.goto("/admin/account/passkeys/add/")

    expect(page.get_by_text("Passkeys need JavaScript")).to_be_visible()
    expect(page.get_by_role("button", name="Add passkey")).to_have_count(0)
    context.close()


def test_at_an_ip_address_the_page_leads_to_localhost(browser: Browser, service: Service, person: Person, url: str):
    context = browser.new_context(base_url=service.url)
    page = context.new_page()
    page.goto("/admin/")
    expect(page.get_by_role("button", name="Sign in with a passkey")).to_have_count(0)
    sign_in(page, person.name)
    page.goto("/admin/account/passkeys/add/")
    assert Looks().problems(page) == []

    page.get_by_role("link", name="Open this page at localhost").click()

    expect(page).to_have_url(re.compile(f"^{re.escape(url)}/admin/login/"))
    context.close()
