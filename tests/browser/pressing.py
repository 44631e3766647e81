"""Press a link or button while the server's answer, with which the page is redrawn, arrives."""

from collections.abc import Callable

from playwright.sync_api import Locator, Page, Route

LONG_ENOUGH_MS = 300  # to redraw a page with an answer that has arrived


def press_while_redrawn(page: Page, redrawing: str, change: Callable[[], object], pressed: Locator) -> None:
    """Change the page, and press when the answer comes for which the change has asked. Nothing moves until the release.

    redrawing: the pattern of the URL that the change requests
    """
    held: list[Route] = []
    page.route(redrawing, lambda route: held.append(route))
    with page.expect_request(redrawing):
        change()
    while not held:
        page.wait_for_timeout(10)
    pressed.hover()
    before = pressed.bounding_box()

    page.mouse.down()
    with page.expect_response(redrawing):
        held[-1].continue_()
    page.unroute(redrawing)
    page.wait_for_timeout(LONG_ENOUGH_MS)

    assert pressed.bounding_box() == before
    page.mouse.up()
