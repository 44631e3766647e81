"""Create the demo data."""

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from config.areas import DemoOptions
from config.management import demo

SCALES = {"small": 1, "big": 100}  # big: about 50,000 messages and 100,000 records, in less than a minute


class Command(BaseCommand):
    help = (
        "Create missing demo data. Example: manage.py demo --scale big --wipe. "
        "Exit codes: 0 on success, 1 if a configured provider could really send a message."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--scale", choices=sorted(SCALES), default="small", help="amount of data (default: small)")
        parser.add_argument("--seed", type=int, default=1, help="the same number creates the same data (default: 1)")
        parser.add_argument("--wipe", action="store_true", help="remove the demo data first")
        parser.add_argument("--json", action="store_true", help="print one JSON document")

    def handle(self, *args: Any, scale: str, seed: int, wipe: bool, **options: Any) -> None:
        if wipe:
            demo.wipe()
        lines = demo.make(DemoOptions(seed=seed, factor=SCALES[scale]))
        if options["json"]:
            self.stdout.write(json.dumps({"lines": lines}, indent=2))
            return
        for line in lines:
            self.stdout.write(line)
