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


def test_all_of_the_product_loads_where_nothing_else_is_installed(tmp_path):
    environment = {**os.environ, "VAR_DIR": str(tmp_path), "DJANGO_SETTINGS_MODULE": "config.settings"}

    done = subprocess.run(
        [production(tmp_path / "venv"), "-c", LOAD_ALL], cwd=ROOT, env=environment, capture_output=True, text=True
    )

    assert done.stdout == "all loaded\n", done.stderr


def test_every_file_that_production_installs_is_pinned_by_its_hash():
    pinned = (ROOT / "requirements.txt").read_text().replace("\\\n", "").splitlines()

    assert [line.split(" ")[0] for line in pinned if "--hash=sha256:" not in line] == []


def test_zones_have_names_where_the_system_has_no_zone_data(tmp_path):
    environment = {**os.environ, "PYTHONTZPATH": str(tmp_path / "none")}
    look = "from zoneinfo import ZoneInfo; print(ZoneInfo('Europe/London'))"

    done = subprocess.run([production(tmp_path / "venv"), "-c", look], env=environment, capture_output=True, text=True)

    assert done.stdout == "Europe/London\n", done.stderr
