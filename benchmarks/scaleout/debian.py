"""The Debian root file system with the servers, made once with mmdebstrap and kept in a cache."""

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

SUITE = "trixie"  # PgBouncer 1.24, Patroni 4.0, PostgreSQL 17, HAProxy 3.0
PACKAGES = (
    "ca-certificates",
    "etcd-client",
    "etcd-server",
    "haproxy",
    "patroni",
    "pgbackrest",
    "pgbouncer",
    "postgresql-17",
    "procps",
    "python3-dnspython",  # for Patroni with etcd, as the next one
    "python3-etcd",
    "python3-psycopg2",
    "redis-sentinel",
    "redis-server",
    "ssl-cert",
)
_LEFT_OUT = ("doc", "man", "locale")
CACHE = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "signalbox"


def root(cache: Path) -> Path:
    """Return the folder of the file system, and make it if it is missing: 4 minutes, 600 MB."""
    digest = hashlib.sha256(" ".join((SUITE, *PACKAGES)).encode()).hexdigest()[:12]
    made = cache / f"{SUITE}-{digest}"
    if made.exists():
        return made
    if shutil.which("mmdebstrap") is None:
        sys.exit("Install mmdebstrap: apt-get install mmdebstrap")
    print(f"Making {made} with mmdebstrap, which takes some minutes.", flush=True)
    cache.mkdir(parents=True, exist_ok=True)
    unfinished = made.with_suffix(".unfinished")
    shutil.rmtree(unfinished, ignore_errors=True)
    excluded = [f"--dpkgopt=path-exclude=/usr/share/{name}/*" for name in _LEFT_OUT]
    options = ["--quiet", "--variant=minbase", '--aptopt=APT::Install-Recommends "false"', *excluded]
    subprocess.run(["mmdebstrap", *options, f"--include={','.join(PACKAGES)}", SUITE, str(unfinished)], check=True)
    return unfinished.rename(made)
