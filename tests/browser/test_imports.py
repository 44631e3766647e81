"""The import of a file by an analyst who uses the keyboard alone."""

import json
import uuid

from playwright.sync_api import Browser, expect

from tests.browser.by_keyboard import press
from tests.browser.signing_in import PASSWORD, sign_in
from tests.servers import Program
from tests.service import Service

MAKE = """
import json
from django.contrib.auth.models import User
from tests.datasets import making
User.objects.create_superuser("{name}", "", "{password}")
print(json.dumps(making.make_data_set("{name}", "visits").pk))
"""


def test_a_file_with_a_question_is_imported_by_keyboard(browser: Browser, service: Service, worker: Program):
    name = f"i{uuid.uuid4().hex[:8]}"
    made = service.manage("shell", "-v", "0", "-c", MAKE.format(name=name, password=PASSWORD))
    assert made.returncode == 0, made.stderr
    context = browser.new_context(base_url=service.url)
    page = context.new_page()
    sign_in(page, name)

    page.goto(f"/admin/datasets/dataset/{json.loads(made.stdout.splitlines()[-1])}/imports/")
    file = {"name": "visits.csv", "mimeType": "text/csv", "buffer": b"Day;Amount\n03.01.2024;1,5\n04.01.2024;2,5\n"}
    page.locator("input[type=file]").set_input_files(file)  # the dialog is the browser's
    press(page, "Upload file")
    expect(page.get_by_role("button", name="Send answers")).to_be_visible(
        timeout=30_000
    )  # the worker has read the file
    for question in page.locator("fieldset").all():
        question.locator("input[type=radio]").first.focus()
        page.keyboard.press("Space")
    press(page, "Send answers")
    expect(page.get_by_role("button", name="Import 2 rows")).to_be_visible(timeout=30_000)
    press(page, "Import 2 rows")
    expect(page.get_by_text("View records")).to_be_visible(timeout=30_000)
    press(page, "View records")

    assert "2.5" in page.content()
    context.close()
