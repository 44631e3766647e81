"""Describe a browser by its User-Agent header, so that people recognise their sessions."""

# The first name in the header wins: Edge also names Chrome, and Chrome also names Safari.
_BROWSERS = {"Edg": "Edge", "OPR": "Opera", "Firefox": "Firefox", "FxiOS": "Firefox", "CriOS": "Chrome"}
_BROWSERS |= {"Chrome": "Chrome", "Safari": "Safari"}
_SYSTEMS = {"Windows": "Windows", "iPhone": "iPhone", "iPad": "iPad", "Android": "Android"}
_SYSTEMS |= {"Mac OS": "macOS", "CrOS": "ChromeOS", "Linux": "Linux"}


def describe(agent: str) -> str:
    """Return the browser and the system, as far as they are known.

    >>> describe("Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:144.0) Gecko/20100101 Firefox/144.0")
    'Firefox on Windows'
    >>> describe("curl/8.5")
    'Unknown browser'
    """
    browser = next((title for name, title in _BROWSERS.items() if f"{name}/" in agent), "")
    system = next((title for name, title in _SYSTEMS.items() if name in agent), "")
    if browser and system:
        return f"{browser} on {system}"
    return browser or system or "Unknown browser"
