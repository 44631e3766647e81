"""An operator of the console over HTTP, with a service for each rendering vector that only the console can show."""

import json
import re
import uuid
from typing import Any

import requests

from tests.notifications.rendering.vector_caller import Vector
from tests.service import Service

PASSWORD = "a-long-password-1"
TOKEN = re.compile(r'name="csrfmiddlewaretoken" value="(\w+)"')
MAKING = """
import json
from django.contrib.auth.models import User
from tests import factories
User.objects.create_superuser({name!r}, "", {password!r})
print(json.dumps([
    str(factories.make_service(name=prefix or "Harbour", prefix_sms=bool(prefix)).pk) for prefix in {prefixes!r}
]))
"""


class ConsoleCaller:
    """A signed-in operator. Requests may run in parallel."""

    def __init__(self, service: Service, vectors: list[Vector]) -> None:
        self.url = service.url
        name = f"editor-{uuid.uuid4().hex[:8]}"
        prefixes = [vector.get("prefix") for vector in vectors]
        done = service.manage("shell", "-v", "0", "-c", MAKING.format(name=name, password=PASSWORD, prefixes=prefixes))
        assert done.returncode == 0, done.stderr
        made = json.loads(done.stdout.splitlines()[-1])
        self.services = {vector["id"]: pk for vector, pk in zip(vectors, made, strict=True)}
        self.cookies: dict[str, str] = {}
        self.token = self._read_token()
        signed_in = self._ask("POST", "login/", {"username": name, "password": PASSWORD})
        assert signed_in.status_code == 302, signed_in.text
        self.token = self._read_token()

    def preview(self, vector: Vector, **typed: str) -> str:
        """Return the preview of a vector's template with its example values."""
        samples = {f"sample-{name}": value for name, value in vector.get("personalisation", {}).items() if value}
        text = {"type": "sms", "content": vector["template"], "service": self.services[vector["id"]]}
        answer = self._ask("POST", "notifications/template/preview/", {**text, **samples, **typed})
        assert answer.status_code == 200, answer.text
        return answer.text

    def set_contact(self, vector: Vector) -> str:
        """Enter a vector's number as the contact for files of a service."""
        path = f"notifications/service/{self.services[vector['id']]}/file-page/"
        return self._ask("POST", path, {"file_contact": vector["input"]}).text

    def service_page(self, vector: Vector) -> str:
        return self._ask("GET", f"notifications/service/{self.services[vector['id']]}/change/").text

    def _read_token(self) -> str:
        match = TOKEN.search(self._ask("GET", "login/" if not self.cookies else "account/").text)
        assert match
        return match[1]

    def _ask(self, method: str, path: str, form: dict[str, Any] | None = None) -> requests.Response:
        data = None if form is None else {**form, "csrfmiddlewaretoken": self.token}
        with requests.Session() as session:
            session.trust_env = False  # it would read the environment, which pytest changes while the threads run
            url = f"{self.url}/admin/{path}"
            answer = session.request(
                method, url, data=data, cookies=dict(self.cookies), timeout=60, allow_redirects=False
            )
        self.cookies |= answer.cookies.get_dict()
        return answer
