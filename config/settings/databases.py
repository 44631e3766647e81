"""Settings of the databases: SQLite on a developer's machine, PostgreSQL with time limits and a pool in production."""

from copy import deepcopy
from urllib.parse import urlsplit

import dj_database_url

from config import env_values
from config.env import env
from config.settings.base import VAR

_SYNCHRONOUS = env.str(
    "SQLITE_SYNCHRONOUS", "NORMAL", validate=env_values.one_of("off", "normal", "full", "extra", any_case=True)
)
_SQLITE_OPTIONS = {
    "transaction_mode": "IMMEDIATE",  # a deferred transaction would fail without waiting for the lock when it writes
    "timeout": 5,
    "init_command": f"PRAGMA journal_mode=WAL; PRAGMA synchronous={_SYNCHRONOUS};",
}
_STATEMENT_TIMEOUT_MS = env.int("DATABASE_STATEMENT_TIMEOUT_MS", 5000, validate=env_values.at_least(0))
DATABASE_STATEMENT_SECONDS = _STATEMENT_TIMEOUT_MS / 1000  # 0: no limit
DATABASE_POOLER = env.str("DATABASE_POOLER", "", validate=env_values.one_of("pgbouncer", or_blank=True))
_POSTGRESQL_OPTIONS = {
    # With a short time-out, the next request tries to connect again. The pool itself would wait longer each time.
    "pool": {"min_size": 1, "max_size": 8, "timeout": 2, "reconnect_timeout": 2},
    "connect_timeout": 3,
    "prepare_threshold": 5,  # for cursors from `prepared_cursor` only
    "options": (  # behind a pooler, the database role has these limits: deploy/postgresql/roles.sql
        f"-c statement_timeout={_STATEMENT_TIMEOUT_MS}"
        " -c lock_timeout=2000 -c idle_in_transaction_session_timeout=10000"
    ),
}


def _database(name: str, url: str) -> dict[str, object]:
    try:
        config: dict[str, object] = dict(dj_database_url.parse(url))
        is_known = config["ENGINE"] in {"django.db.backends.sqlite3", "django.db.backends.postgresql"}
        is_known = is_known and bool(config["NAME"]) and urlsplit(url).port != 0
    except ValueError:
        is_known = False
    if not is_known:  # without the URL: it may hold a password
        raise ValueError(f"{name} must be postgres://user:password@host/name or sqlite:///path")
    config["CONN_MAX_AGE"] = 0  # the pool keeps PostgreSQL connections; SQLite connections are cheap
    if config["ENGINE"] == "django.db.backends.sqlite3":
        config["ENGINE"] = "config.databases.sqlite"
        config["OPTIONS"] = _SQLITE_OPTIONS
        config["CONN_MAX_AGE"] = None
        if config["NAME"] != ":memory:":
            config["TEST"] = {"NAME": VAR / "test.sqlite3"}
    else:
        config["ENGINE"] = "config.databases.postgresql"
        options: dict[str, object] = {**deepcopy(_POSTGRESQL_OPTIONS), **config.get("OPTIONS", {})}  # type: ignore[dict-item]  # a dict
        options["prepare_threshold"] = _prepare_threshold(str(options["prepare_threshold"]))
        if DATABASE_POOLER:
            options["sends_options"] = False  # for config.databases.postgresql.waiting.Connection
        config["OPTIONS"] = options
    return config


def _prepare_threshold(value: str) -> int | None:
    if value != "none" and not value.isdecimal():
        raise ValueError("DATABASE_URL: prepare_threshold must be a whole number or none")
    return None if value == "none" else int(value)


DATABASES = {"default": _database("DATABASE_URL", env.str("DATABASE_URL", f"sqlite:///{VAR / 'signalbox.sqlite3'}"))}
MOST_CLOCK_DIFFERENCE_SECONDS = 60  # a process that is further from the database's clock deletes nothing
DATABASE_ROUTERS: list[str] = []
_REPLICA_URL = env.str("DATABASE_REPLICA_URL", "")
if _REPLICA_URL and not _REPLICA_URL.startswith("postgres"):
    raise ValueError("DATABASE_REPLICA_URL must be postgres://user:password@host/name")
if _REPLICA_URL:
    DATABASES["replica"] = {**_database("DATABASE_REPLICA_URL", _REPLICA_URL), "TEST": {"MIRROR": "default"}}
    DATABASE_ROUTERS.append("config.databases.replica.Router")
