"""Use a page by keyboard alone: the text on it says where to go."""

from playwright.sync_api import Page

FOCUSED = """() => {
    const one = document.activeElement
    const texts = [...(one.labels ?? [])].map((label) => label.innerText)
    return [...texts, one.getAttribute("aria-label"), one.innerText].filter(Boolean).join(" ")
}"""


def reach(page: Page, name: str) -> None:
    """Press Tab until the element with this text or label has the focus. A page may give it the focus itself."""
    for _ in range(120):
        if page.evaluate(FOCUSED).strip().startswith(name):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"no press of Tab reaches {name} on {page.url}")


def press(page: Page, name: str) -> None:
    """Reach a link or a button, press Enter, and wait for the next page."""
    reach(page, name)
    with page.expect_navigation():
        page.keyboard.press("Enter")


def fill(page: Page, name: str, text: str) -> None:
    """Type a text, or the beginning of an option of a list."""
    reach(page, name)
    page.keyboard.type(text)
