"""Is it alive, is it ready?"""

import requests


def test_the_status_says_that_the_process_lives(service):
    answer = requests.get(f"{service.url}/_status", timeout=10)

    assert (answer.status_code, answer.json()) == (200, {"status": "ok", "message": "app is up"})
    assert answer.headers["Cache-Control"] == "no-store"
