"""requirements.txt names every package that the product needs, because production installs only these."""

import os
import subprocess

from tests.interpreters import production
from tests.servers import ROOT

# Settings of other environments need their own variables, and a test cannot load the WSGI module.
LOAD_ALL = """
import pkgutil
from importlib import import_module
import django

django.setup()
areas = [import_module(name) for name in ("config", "datasets", "notifications")]
for area in areas:
    for module in pkgutil.walk_packages(area.__path__, area.__name__ + "."):
        if not module.name.startswith(("config.settings.", "config.wsgi")):
            import_module(module.name)
print("all loaded")
"""


def test_the_whole_product_loads_with_the_production_packages(tmp_path):
    environment = {**os.environ, "VAR_DIR": str(tmp_path), "DJANGO_SETTINGS_MODULE": "config.settings"}

    done = subprocess.run(
        [production(tmp_path / "venv"), "-c", LOAD_ALL], cwd=ROOT, env=environment, capture_output=True, text=True
    )

    assert done.stdout == "all loaded\n", done.stderr


def test_every_production_package_is_pinned_by_hash():
    pinned = (ROOT / "requirements.txt").read_text().replace("\\\n", "").splitlines()

    assert [line.split(" ")[0] for line in pinned if "--hash=sha256:" not in line] == []


def test_time_zones_work_without_zone_data_of_the_system(tmp_path):
    environment = {**os.environ, "PYTHONTZPATH": str(tmp_path / "none")}
    look = "from zoneinfo import ZoneInfo; print(ZoneInfo('Europe/London'))"

    done = subprocess.run([production(tmp_path / "venv"), "-c", look], env=environment, capture_output=True, text=True)

    assert done.stdout == "Europe/London\n", done.stderr
