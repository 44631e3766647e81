"""Sign in to the console in a browser."""

from playwright.sync_api import Page, expect

PASSWORD = "a-long-password-1"


def sign_in(page: Page, name: str) -> None:
    page.goto("/admin/")
    page.get_by_label("Email address or user name").fill(name)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_label("Password").press("Enter")
    expect(page.get_by_role("heading", name="Dashboard")).to_be_visible()
