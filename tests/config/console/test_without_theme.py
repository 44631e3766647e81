"""Only the look depends on the theme: without it, every page opens in Django's own."""

import re

import requests
from django.contrib import admin
from django.urls import reverse

PASSWORD = "a-long-password-1"


def test_every_list_and_form_opens_without_the_theme(start_service):
    service = start_service(CONSOLE_THEME="plain")
    make = f"from django.contrib.auth.models import User; User.objects.create_superuser('mina', '', '{PASSWORD}')"
    assert service.manage("shell", "-c", make).returncode == 0
    browser = requests.Session()
    token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', browser.get(f"{service.url}/admin/").text)[1]
    form = {"username": "mina", "password": PASSWORD, "csrfmiddlewaretoken": token}
    signed_in = browser.post(f"{service.url}/admin/login/?next=/admin/", form, timeout=60)
    assert '<div class="sb-places"' in signed_in.text
    assert "unfold" not in signed_in.text

    assert 'href="/admin/account/"' in signed_in.text
    for place in ("/admin/account/", "/admin/account/second-factor/", "/admin/password_change/", "/admin/confirm/"):
        assert browser.get(f"{service.url}{place}", timeout=60).status_code == 200, place

    for model in admin.site._registry:
        for page in ("changelist", "add"):
            place = reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_{page}")
            answer = browser.get(f"{service.url}{place}", timeout=60)
            assert answer.status_code in ({200, 403, 404} if page == "add" else {200}), place
