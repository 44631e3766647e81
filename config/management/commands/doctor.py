"""Run all health checks and print a fix for each that fails."""

import json
import logging
import sys
from argparse import ArgumentParser
from dataclasses import asdict
from typing import Any

from django.core.management.base import BaseCommand

from config import formats
from config.areas import Finding
from config.health import health_checks


class Command(BaseCommand):
    help = (
        "Run the health checks: database, migrations, queue, worker, clock, jobs, keys, time, disk and those of each "
        "area. Failed checks (✗) come first, each with a fix. Example: manage.py doctor. "
        "Exit codes: 0 on success, 1 if a check fails."
    )
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--json", action="store_true", help="print the findings as JSON")
        parser.add_argument("--all", action="store_true", help="show the checks that passed, too")

    def handle(self, *args: Any, **options: Any) -> None:
        logging.disable(logging.WARNING)  # the pool logs each attempt to connect, but one finding is enough
        findings = health_checks.examine()
        if options["json"]:
            self.stdout.write(json.dumps([asdict(finding) for finding in findings], indent=2))
        else:
            self._print(findings, with_passed=options["all"])
        if any(finding.fix for finding in findings):
            sys.exit(1)

    def _print(self, findings: list[Finding], *, with_passed: bool) -> None:
        """Print the failed checks first, then the number of the others, or each of them."""
        failed = [finding for finding in findings if finding.fix]
        passed = [finding for finding in findings if not finding.fix]
        for finding in failed:
            self.stdout.write(f"✗ {finding.name:<12} {finding.seen}. {finding.fix}")
        for finding in passed if with_passed else []:
            self.stdout.write(f"✓ {finding.name:<12} {finding.seen}")
        if not with_passed:
            self.stdout.write(f"✓ {formats.counted(len(passed), 'check')} passed. --all shows them.")
