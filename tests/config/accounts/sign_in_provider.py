"""A real OpenID Connect provider on loopback, and a person who signs in there."""

import fcntl
import json
import shutil
import subprocess
from pathlib import Path
from urllib.parse import urljoin

import pytest
import requests
from django.test import Client

from tests.browsing import _Forms

FOLDER = Path(__file__).parent / "oidc"
CLIENT_ID, CLIENT_SECRET = "signalbox", "a-secret-for-this-test"


def _installed() -> str:
    """Return node, and install the provider at the first use."""
    node, npm = shutil.which("node"), shutil.which("npm")
    if node is None or npm is None:
        pytest.skip("the sign-in provider: node and npm are not on this machine")
    with (FOLDER / "package.json").open() as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # the suite runs in several processes
        if not (FOLDER / "node_modules" / "oidc-provider" / "lib").is_dir():
            command = [npm, "ci", "--no-audit", "--no-fund", "--prefer-offline", "--loglevel=error"]
            subprocess.run(command, cwd=FOLDER, capture_output=True, timeout=240, check=True)
    return node


class SignInProvider:
    def __init__(self, base_url: str) -> None:
        arguments = [f"{base_url}/admin/login/provider/callback/", f"{base_url}/admin/login/"]
        self._process = subprocess.Popen(
            [_installed(), "provider.js", *arguments],
            cwd=FOLDER,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        assert self._process.stdout is not None
        self.issuer = f"http://127.0.0.1:{int(self._process.stdout.readline())}"

    def stop(self) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(10)


class PersonAtProvider:
    """A browser with one person: Django's client for Signalbox, and a session at the provider."""

    def __init__(self, client: Client, base_url: str) -> None:
        self.client, self._base_url = client, base_url
        self._session = requests.Session()

    def sign_in(self, path: str = "/admin/login/provider/", **claims: object):
        """Begin at Signalbox, sign in at the provider, and return the response of the callback."""
        return self.come_back(self.begin(path), **claims)

    def begin(self, path: str = "/admin/login/provider/") -> str:
        answer = self.client.get(path)
        assert answer.status_code == 302, answer.status_code
        return str(answer["Location"])

    def come_back(self, url: str, **claims: object):
        return self.client.get(self.approve(url, **claims).removeprefix(self._base_url))

    def approve(self, url: str, **claims: object) -> str:
        """Fill in the provider's pages and return the URL that they lead back to."""
        answer = self._session.get(url, allow_redirects=False, timeout=20)
        for _ in range(12):
            if answer.is_redirect:
                url = urljoin(url, answer.headers["Location"])
                if url.startswith(self._base_url):
                    return url
                answer = self._session.get(url, allow_redirects=False, timeout=20)
                continue
            parser = _Forms()
            parser.feed(answer.text)
            form = parser.found[-1]
            fields = {name: values[-1] for name, values in form.fields.items()}
            if "login" in fields or "password" in fields:
                fields |= {"login": json.dumps(claims), "password": "any"}
            url = urljoin(url, form.action)
            answer = self._session.post(url, fields, allow_redirects=False, timeout=20)
        raise AssertionError(f"the provider stops at {url}")
