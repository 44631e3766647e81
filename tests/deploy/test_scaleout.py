"""The scale-out proof decides as documented, and finds in `deploy` and `docs` what it replaces. Its cases need root."""

from pathlib import Path
from typing import Any

import pytest

from benchmarks.faults.stand import Answer
from benchmarks.scaleout.cases import CASES, restore
from benchmarks.scaleout.configuration import deployed
from benchmarks.scaleout.load import Arrivals
from benchmarks.scaleout.verdict import Seen, Verdict
from tests.servers import ROOT

OURS = {"status_code": 503, "errors": [{"error": "Exception", "message": "Service unavailable"}]}


def answer(at: float, status: int, body: dict[str, Any] | None = None, seconds: float = 0.1) -> Answer:
    return Answer(at=at, seconds=seconds, status=status, body=body or {})


def seen(*answers: Answer, lost: int = 0, twice: int = 0, uncertain: int = 0) -> Seen:
    accepted = answer(0, 201, {"id": "1"})
    return Seen(answers=[accepted, *answers], lost=lost, twice=twice, uncertain=uncertain, longest_gap=0)


@pytest.mark.parametrize(
    ("observed", "rule"),
    [
        (seen(lost=1), "not handed over"),
        (seen(twice=2, uncertain=1), "without an uncertain attempt"),
        (seen(twice=41, uncertain=41), "more than were in flight"),
        (seen(answer(1, 502, {})), "not in our envelope"),
        (seen(answer(1, 0)), "not in our envelope"),
        (Seen(answers=[answer(1, 503, OURS)], lost=0, twice=0, uncertain=0, longest_gap=0), "no call was accepted"),
    ],
)
def test_a_case_is_not_green(observed: Seen, rule: str) -> None:
    verdict = Verdict("a case")

    verdict.require_always(observed)

    assert len(verdict.broken) == 1
    assert rule in verdict.broken[0]
    assert not verdict.is_green


def test_a_case_with_copies_of_uncertain_messages_and_our_refusals_is_green() -> None:
    verdict = Verdict("a case")

    verdict.require_always(seen(answer(1, 503, OURS), twice=1, uncertain=1))

    assert verdict.is_green


def test_refusals_last_from_the_first_refused_call_to_the_last_answer() -> None:
    observed = seen(answer(10, 503, OURS, seconds=4), answer(11, 201), answer(12, 503, OURS, seconds=0.5))

    assert observed.refused_seconds == pytest.approx(4.0)
    assert seen().refused_seconds == 0


def test_a_gap_reaches_to_the_ends_of_the_time() -> None:
    arrivals = Arrivals(rows=[(1, "a"), (4, "b"), (5, "c")])

    assert arrivals.longest_gap(0, 6) == 3
    assert arrivals.longest_gap(0, 20) == 15


def test_every_replaced_text_is_in_the_files_of_deploy() -> None:
    patroni = deployed("postgresql/patroni.yml", {"replace-this": "secret", "name: postgresql-1": "name: x"})
    deployed("postgresql/pgbackrest.conf", {"replace-this-with-48-random-characters": "secret"})

    assert "10.0.0." not in patroni
    assert "127.0.1.21" in patroni
    with pytest.raises(LookupError, match=r"deploy/redis/redis\.conf has no 'no such text'"):
        deployed("redis/redis.conf", {"no such text": ""})


def test_the_commands_of_a_restore_are_those_of_the_document() -> None:
    commands = list(restore.documented_commands("2026-11-24 12:00:00.123+00"))

    assert len(commands) == 3
    assert '--target="2026-11-24 12:00:00.123+00"' in commands[1]
    assert "listen_addresses=127.0.1.61" in commands[2]
    assert "\\" not in "".join(commands)


def test_the_document_has_a_result_for_every_case() -> None:
    text = (ROOT / "docs" / "testing.md").read_text()
    section = text.partition("### Several machines")[2].partition("\n### ")[0]

    assert [case for case in CASES if f"| {case} " not in section] == []


def test_every_configuration_of_several_machines_is_used() -> None:
    used = "".join(path.read_text() for path in (ROOT / "benchmarks/scaleout").rglob("*.py"))
    folders = [ROOT / "deploy" / name for name in ("haproxy", "postgresql", "redis")]
    files: list[Path] = [path for folder in folders for path in folder.iterdir()]

    assert [path.name for path in files if f"{path.parent.name}/{path.name}" not in used] == []
