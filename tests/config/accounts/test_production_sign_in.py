"""Sign in as in production: over https, with cookies for one host, and with a second factor."""

import re
from http.cookies import Morsel, SimpleCookie

import pytest
import requests

from tests.config.test_house import PRODUCTION

PASSWORD = "a-long-password-1"


@pytest.fixture(scope="module")
def production(start_service):
    service = start_service(**PRODUCTION, ALLOWED_HOSTS="127.0.0.1", TRUSTED_PROXIES="1")
    make = f"from django.contrib.auth.models import User; User.objects.create_superuser('mina', '', '{PASSWORD}')"
    made = service.manage("shell", "-c", make)
    assert made.returncode == 0, made.stderr
    return service


class Browser:
    """A browser behind a proxy that ends TLS. It keeps `Secure` cookies although the test uses http."""

    def __init__(self, service, address: str = "192.0.2.1") -> None:
        self.service = service
        self.address = address
        self.cookies: dict[str, Morsel[str]] = {}

    def ask(self, method: str, path: str, **options) -> requests.Response:
        headers = {
            "X-Forwarded-Proto": "https",
            "X-Forwarded-For": f"203.0.113.9, {self.address}",
            "Origin": f"https://127.0.0.1:{self.service.port}",
            "Cookie": "; ".join(f"{name}={kept.value}" for name, kept in self.cookies.items()),
        }
        url = f"{self.service.url}{path}"
        answer = requests.request(method, url, headers=headers, timeout=20, allow_redirects=False, **options)
        for line in answer.raw.headers.getlist("Set-Cookie"):
            self.cookies.update(SimpleCookie(line))
        return answer

    def sign_in(self, typed: str = PASSWORD) -> requests.Response:
        page = self.ask("GET", "/admin/login/").text
        token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', page)[1]
        form = {"username": "mina", "password": typed, "csrfmiddlewaretoken": token}
        return self.ask("POST", "/admin/login/", data=form)


def test_the_session_is_for_this_host_only_and_only_the_enrolment_opens(production):
    browser = Browser(production)

    signed_in = browser.sign_in()
    cookie = browser.cookies["__Host-s"]
    elsewhere = browser.ask("GET", "/admin/")

    assert signed_in.status_code == 302
    assert (cookie["secure"], cookie["httponly"], cookie["samesite"]) == (True, True, "Lax")
    assert (cookie["path"], cookie["domain"], cookie["max-age"]) == ("/", "", "")
    assert "sessionid" not in browser.cookies
    assert (elsewhere.status_code, elsewhere.headers["Location"]) == (302, "/admin/account/second-factor/")
    assert browser.ask("GET", "/admin/account/second-factor/").status_code == 200


def test_the_lock_is_for_the_ip_address_that_the_proxy_names(production):
    guessing, another = Browser(production, "192.0.2.2"), Browser(production, "192.0.2.3")
    for _ in range(10):
        guessing.sign_in("wrong-password-1")

    assert guessing.sign_in().status_code == 429
    assert another.sign_in().status_code == 302
