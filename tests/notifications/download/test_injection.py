"""Names of services, files and recipients stay text on every page. Case H4."""

from html.parser import HTMLParser

import pytest

from tests.factories import make_service
from tests.notifications.download.sending import send_file

pytestmark = pytest.mark.django_db

SCRIPTS = [
    "<script>alert(1)</script>",
    "</script><script>alert(1)</script>",
    "<ScRiPt src=//x.example/1.js></sCrIpT>",
    "<img src=x onerror=alert(1)>",
    "<svg onload=alert(1)>",
    "<svg><script>alert(1)</script></svg>",
    "<body onload=alert(1)>",
    "<iframe src=javascript:alert(1)>",
    "<iframe srcdoc='<script>alert(1)</script>'>",
    "<a href=javascript:alert(1)>x</a>",
    "<math><mi xlink:href='javascript:alert(1)'>",
    "<details open ontoggle=alert(1)>",
    "<input autofocus onfocus=alert(1)>",
    "<object data=javascript:alert(1)>",
    "<embed src=javascript:alert(1)>",
    "<form action=javascript:alert(1)><button>",
    "<meta http-equiv=refresh content='0;url=javascript:alert(1)'>",
    "<base href=//x.example/>",
    "<link rel=stylesheet href=//x.example/x.css>",
    "<style>*{background:url(//x.example)}</style>",
    '" onmouseover="alert(1)',
    "' onmouseover='alert(1)",
    '"><script>alert(1)</script>',
    "'><img src=x onerror=alert(1)>",
    "` onmouseover=alert(1)",
    '" autofocus onfocus=alert(1) x="',
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    "java\tscript:alert(1)",
    "data:text/html,<script>alert(1)</script>",
    "vbscript:msgbox(1)",
    "https://x.example/\"onclick=alert(1)//",
    "https://x.example/'><script>alert(1)</script>",
    "a@b.example\"onclick=\"alert(1)",
    "{{7*7}}{% load static %}",
    "{% include 'admin/login.html' %}",
    "${7*7} #{7*7} %(x)s",
    "&lt;script&gt;alert(1)&lt;/script&gt;",
    "<!--<script>alert(1)</script>-->",
    "]]><script>alert(1)</script>",
    "</title><script>alert(1)</script>",
]  # fmt: skip


class Skeleton(HTMLParser):
    """A page as a parser sees it: elements with the names of their attributes, link targets, and the text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, tuple[str, ...]]] = []
        self.targets: list[str] = []
        self.text = ""
        self.feed(page)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, tuple(name for name, _ in attributes)))
        self.targets += [value or "" for name, value in attributes if name in ("href", "src", "action")]

    def handle_data(self, data: str) -> None:
        self.text += data


def pages(client, *, service_name: str, contact: str, file_name: str, typed: str) -> list[str]:
    service = make_service(name=service_name, file_contact=contact)
    asked, open_to_all = send_file(service), send_file(service, name=file_name, address=None)
    gone = send_file(service, expires_at=asked.row.created_at)
    locked = send_file(service, locked_until=asked.row.expires_at)
    answers = [
        client.get(asked.path()),
        client.get(asked.path("confirm")),
        client.post(asked.path("confirm"), {"email_address": typed}),
        client.post(asked.path("confirm"), {"email_address": "stranger@example.org"}),
        client.get(open_to_all.path("file")),
        client.get(gone.path()),
        client.post(locked.path("confirm"), {"email_address": typed}),
    ]
    assert [answer.status_code for answer in answers] == [200, 200, 400, 400, 200, 410, 429]
    return [answer.content.decode() for answer in answers]


@pytest.mark.parametrize("script", SCRIPTS)
@pytest.mark.fault("H4")
def test_scripts_stay_text(client, script, settings):
    settings.FILES_TRIES_PER_IP_ADDRESS = 1000
    # The harmless value has the same kind, because the kind of a contact decides how it is shown.
    kind = next((kind for kind in ("https://x.example/a", "a@b.example") if script.startswith(kind[:11])), "words")
    harmless = pages(client, service_name="Parks", contact=kind, file_name="a.pdf", typed="nobody")

    hostile = pages(client, service_name=script, contact=script, file_name=f"{script}.pdf", typed=script)

    for page, expected in zip(hostile, harmless, strict=True):
        assert Skeleton(page).elements == Skeleton(expected).elements
        schemes = {target.partition(":")[0] for target in Skeleton(page).targets if not target.startswith(("/", "#"))}
        assert schemes <= {"data", "https", "mailto"}  # data: is the empty icon
        assert script in Skeleton(page).text
