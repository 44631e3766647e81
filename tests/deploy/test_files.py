"""The real programs accept the files in `deploy`, and each name in them exists. The image is built before a release."""

import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml
from django.conf import settings

from config import version
from tests.config.test_house import environment_variables
from tests.servers import ROOT, Program, accepts, free_port

DEPLOY = ROOT / "deploy"
BIN = Path(sys.executable).parent
SBIN = "/usr/sbin:/usr/bin:/usr/local/sbin:/usr/local/bin"
# Variables of other programs. `_FILE` at the end of one of ours names a file with its value.
FOREIGN = {"LANG", "PYTHONPATH", "PYTHONDONTWRITEBYTECODE", "POSTGRES_DB", "POSTGRES_PASSWORD"}


def run(*command: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=False, env={**os.environ, **environment}
    )


def lines(*names: str) -> dict[str, set[str]]:
    """Return the variables in a file with NAME=value on each line, with or without `Environment=` or `ENV`."""
    found = {}
    for name in names:
        text = (DEPLOY / name).read_text()
        found[name.rpartition("/")[2]] = set(
            re.findall(r"^(?:Environment=|ENV |\s+)?([A-Z][A-Z0-9_]+)=", text, re.MULTILINE)
        )
    return found


def documents(path: Path) -> list[dict[str, object]]:
    return [one for one in yaml.safe_load_all(path.read_text()) if one]


def variables() -> dict[str, set[str]]:
    found = lines(
        "signalbox.env",
        "kubernetes/base/settings.env",
        "image/Containerfile",
        *(f"systemd/{path.name}" for path in (DEPLOY / "systemd").iterdir()),
    )
    compose = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
    found["compose.yaml"] = {name for one in compose["services"].values() for name in one.get("environment", {})}
    for path in (DEPLOY / "kubernetes").rglob("*.yaml"):
        named = set(re.findall(r"\{name: ([A-Z_]+), value", path.read_text()))
        found[path.name] = found.get(path.name, set()) | named
    return found


def test_every_variable_is_one_of_the_service() -> None:
    known = environment_variables() | FOREIGN
    unknown = {
        file: sorted(name for name in names if name.removesuffix("_FILE") not in known and name not in known)
        for file, names in variables().items()
    }

    assert {file: names for file, names in unknown.items() if names} == {}
    assert "SECRET_KEY_FILE" in variables()["signalbox-web@.service"] & variables()["web.yaml"]


def test_the_variables_start_a_production(tmp_path: Path) -> None:
    made = run("bash", DEPLOY / "secrets.sh", str(tmp_path / "secrets"))
    again = {path.name: path.read_text() for path in (tmp_path / "secrets").iterdir()}
    run("bash", DEPLOY / "secrets.sh", str(tmp_path / "secrets"))
    given = dict(line.split("=", 1) for line in (DEPLOY / "signalbox.env").read_text().splitlines() if line[0] != "#")
    given["DATABASE_URL_FILE"] = str(tmp_path / "secrets/DATABASE_URL.web")
    for name in ("SECRET_KEY", "FIELD_KEYS", "METRICS_TOKEN", "PROVIDERS"):
        given[f"{name}_FILE"] = str(tmp_path / "secrets" / name)

    checked = run(
        sys.executable, "manage.py", "check", "--deploy", "--fail-level", "WARNING", **given, VAR_DIR="/proc/x"
    )

    assert made.returncode == 0, made.stderr
    assert again == {path.name: path.read_text() for path in (tmp_path / "secrets").iterdir()}
    assert all(path.stat().st_mode & 0o077 == 0 for path in (tmp_path / "secrets").iterdir())
    assert checked.returncode == 0, checked.stderr


def test_compose_follows_its_schema_and_names_this_version() -> None:
    checked = run(BIN / "check-jsonschema", "--builtin-schema", "vendor.compose-spec", DEPLOY / "compose.yaml")
    compose = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
    ours = [one for one in compose["services"].values() if "signalbox:" in one["image"]]

    assert checked.returncode == 0, checked.stdout
    assert {one["image"] for one in ours} == {f"localhost/signalbox:{version.VERSION}"}
    assert f"newTag: {version.VERSION}\n" in (DEPLOY / "kubernetes/base/kustomization.yaml").read_text()
    assert all(one["read_only"] and one["cap_drop"] == ["ALL"] for one in ours)
    sources = [volume.partition(":")[0] for one in compose["services"].values() for volume in one.get("volumes", [])]
    made = {"./secrets/passwords.sql"}  # by secrets.sh
    missing = [path for path in sources if path.startswith("./") and not (DEPLOY / path).exists()]
    assert set(missing) <= made


def test_compose_starts_each_service_by_itself_and_with_the_servers_of_debian() -> None:
    """Podman before 5.6 starts no container that depends on a job that has ended."""
    services = yaml.safe_load((DEPLOY / "compose.yaml").read_text())["services"]
    servers = {name: one for name, one in services.items() if "signalbox:" not in one["image"]}
    started = (DEPLOY / "image/servers/start").read_text()

    assert [name for name, one in services.items() if "depends_on" in one] == []
    assert set(servers) == {"proxy", "postgresql", "redis", "clamd"}
    assert all(one["image"].startswith("${SERVERS_IMAGE:-docker.io/") for one in servers.values())
    assert "command" not in servers["clamd"]  # clamd's own image loads no signatures if it is given a command
    assert services["postgresql"]["stop_signal"] == "SIGINT"  # or a restart takes a minute
    assert all(f"\n{name})\n" in started for name in ("postgres", "clamd"))


def test_clamd_of_compose_differs_in_its_sockets_only() -> None:
    own, compose = (
        set((DEPLOY / "clamav" / name).read_text().splitlines()[1:]) for name in ("clamd.conf", "clamd.compose.conf")
    )

    assert own - compose == {"LocalSocket /run/clamav/clamd.ctl", "TCPAddr 127.0.0.1"}
    assert compose - own == {"LocalSocket /tmp/clamd.sock", "TCPAddr 0.0.0.0"}


@pytest.mark.parametrize("script", sorted(str(path.relative_to(DEPLOY)) for path in DEPLOY.rglob("*.sh")))
def test_the_shell_can_read_each_script(script: str) -> None:
    checked = run("bash", "-n", DEPLOY / script)

    assert (checked.returncode, checked.stderr) == (0, "")
    assert os.access(DEPLOY / script, os.X_OK)


def built(overlay: str, folder: Path) -> Path:
    """Return the resources of an overlay in one file. Without kubectl, those of its own files."""
    target = folder / f"{overlay}.yaml"
    if shutil.which("kubectl"):
        done = run("kubectl", "kustomize", DEPLOY / "kubernetes" / overlay)
        assert done.returncode == 0, done.stderr
        target.write_text(done.stdout)
    else:
        plain = [path for path in (DEPLOY / "kubernetes" / overlay).glob("*.yaml") if path.stem != "kustomization"]
        target.write_text("\n---\n".join(path.read_text() for path in sorted(plain)))
    return target


def test_kubernetes_accepts_the_resources_and_pods_have_no_privileges(tmp_path: Path) -> None:
    resources = built("ha", tmp_path)
    base = built("base", tmp_path)
    checked = run(BIN / "kubernetes-validate", "--strict", "--kubernetes-version", "1.32", resources, base)
    pods = [
        one["spec"]["template"]["spec"]  # type: ignore[index]
        for one in documents(base)
        if one["kind"] in {"Deployment", "Job"}
    ]

    assert checked.returncode == 0, checked.stderr
    assert "ERROR" not in checked.stdout + checked.stderr
    assert len(pods) >= 3
    for pod in pods:
        (container,) = pod["containers"]
        assert pod["securityContext"]["runAsNonRoot"]
        assert pod["securityContext"]["fsGroup"] == pod["securityContext"]["runAsGroup"]  # or secrets are unreadable
        assert container["securityContext"]["readOnlyRootFilesystem"]
        assert container["securityContext"]["capabilities"] == {"drop": ["ALL"]}


@pytest.mark.parametrize("file", ["base/web.yaml", "base/clock.yaml", "base/migrate.yaml", "worker/worker.yaml"])
def test_a_pod_sees_the_secrets_that_it_reads_and_no_others(file: str) -> None:
    pod = next(
        one["spec"]["template"]["spec"]  # type: ignore[index]
        for one in documents(DEPLOY / "kubernetes" / file)
        if one["kind"] in {"Deployment", "Job"}
    )
    secrets = next(volume["secret"] for volume in pod["volumes"] if "secret" in volume)
    (container,) = pod["containers"]
    read = {one["value"].rpartition("/")[2] for one in container["env"] if one["name"].endswith("_FILE")}
    of_variables = [one["secretRef"]["name"] for one in container["envFrom"] if "secretRef" in one]

    assert {one["key"] for one in secrets["items"]} == read
    assert of_variables == (["signalbox-s3"] if container["name"] in {"web", "worker"} else [])  # they store files
    assert all(one["key"] == one["path"] for one in secrets["items"])


def test_an_upgrade_applies_the_migration_and_its_settings_first() -> None:
    base = yaml.safe_load((DEPLOY / "kubernetes/base/kustomization.yaml").read_text())
    job = yaml.safe_load((DEPLOY / "kubernetes/base/migrate.yaml").read_text())
    (of_settings,) = [one["options"]["labels"] for one in base["configMapGenerator"]]

    assert of_settings["part"] == job["metadata"]["labels"]["part"] == "migrate"
    assert "--selector part=migrate" in (DEPLOY / "README.md").read_text()


def test_the_pools_of_kubernetes_serve_each_queue_once() -> None:
    queues: list[str] = []
    for path in (DEPLOY / "kubernetes/pools").glob("*/kustomization.yaml"):
        (named,) = re.findall(r"--queues, \"?([a-z,-]+)", path.read_text())
        queues += [queue for queue in named.split(",") if queue]

    assert sorted(queues) == sorted(settings.WORKER_QUEUES)


@pytest.mark.parametrize("unit", sorted(path.name for path in (DEPLOY / "systemd").iterdir()))
def test_systemd_accepts_the_unit_and_its_exposure_is_low(unit: str, tmp_path: Path) -> None:
    for path in (DEPLOY / "systemd").glob(f"{unit.partition('.')[0]}.*"):
        text = re.sub(r"^ExecStart=\S+", "ExecStart=/bin/true", path.read_text(), flags=re.MULTILINE)
        (tmp_path / path.name).write_text(text)

    verified = run("systemd-analyze", "verify", "--man=no", tmp_path / unit)
    unit = unit.replace(".timer", ".service")
    exposure = run("systemd-analyze", "security", "--offline=true", "--threshold=30", tmp_path / unit)

    assert (verified.returncode, verified.stderr) == (0, "")
    assert exposure.returncode == 0, exposure.stdout[-500:]


def test_haproxy_accepts_its_configuration_without_a_warning(tmp_path: Path) -> None:
    pem = tmp_path / "signalbox.pem"
    make = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=a -keyout"
    assert run(*make.split(), tmp_path / "key", "-out", tmp_path / "cert").returncode == 0
    pem.write_text((tmp_path / "key").read_text() + (tmp_path / "cert").read_text())
    text = (DEPLOY / "haproxy/haproxy.cfg").read_text()
    (tmp_path / "haproxy.cfg").write_text(text.replace("/etc/haproxy/signalbox.pem", str(pem)))

    checked = run("haproxy", "-c", "-f", tmp_path / "haproxy.cfg", PATH=SBIN)

    assert checked.returncode == 0, checked.stderr
    assert "WARNING" not in checked.stderr


@pytest.mark.parametrize("role", ["redis", "replica", "sentinel"])
def test_redis_starts_with_its_configuration(role: str, tmp_path: Path) -> None:
    port = free_port()
    text = (DEPLOY / f"redis/{role}.conf").read_text()
    text = re.sub(r"10\.0\.0\.\d+", "127.0.0.2", text).replace("/etc/redis/", f"{DEPLOY}/redis/")
    text = re.sub(r"^(port|dir) \S+", "", text, flags=re.MULTILINE) + f"\nport {port}\ndir {tmp_path}\n"
    config = tmp_path / f"{role}.conf"
    config.write_text(text)
    options = ["--sentinel"] if role == "sentinel" else []

    program = Program("redis-server", str(config), *options, log=tmp_path / "log", folder=tmp_path)
    program.wait_until(lambda: accepts(port))
    memory = run("redis-cli", "-p", str(port), "config", "get", "maxmemory-policy").stdout
    program.stop()

    assert "noeviction" in memory or role == "sentinel"


def test_the_pinned_list_of_parts_is_the_one_that_is_installed() -> None:
    listed = {
        one["name"].lower(): one["version"] for one in json.loads((DEPLOY / "sbom.json").read_text())["components"]
    }
    pinned = dict(
        re.findall(r"^([a-z0-9._-]+)(?:\[[^]]*\])?==([^ ;\\]+)", (ROOT / "requirements.txt").read_text(), re.M)
    )

    assert listed == pinned


def test_patroni_and_the_project_file_are_well_formed() -> None:
    (patroni,) = documents(DEPLOY / "postgresql/patroni.yml")

    assert patroni["bootstrap"]["dcs"]["synchronous_mode"] is True  # type: ignore[index]
    assert tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["name"] == "signalbox"
