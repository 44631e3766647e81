"""No process starts with a wrong value of a variable, and one line names the variable."""

import os

import pytest

from tests import forks

WRONG = {
    "ENVIRONMENT": ["dev", ""],
    "VAR_DIR": ["/proc/nope"],
    "SECRET_KEY": [""],
    "SECRET_KEY_FILE": ["/dev/null", "/nope"],
    "SECRET_KEY_FALLBACKS": ["one,,two"],
    "FIELD_KEYS": ["short"],
    "DATABASE_URL": [
        "rubbish",
        "mysql://h/x",
        "postgres://h:port/x",
        "postgres://h:0/x",
        "postgres://h",
        "postgres://h/x?prepare_threshold=often",
    ],
    "DATABASE_POOLER": ["odyssey"],
    "DATABASE_REPLICA_URL": ["rubbish", "sqlite:///replica.sqlite3"],
    "DRAIN_SECONDS": ["-1", "long"],
    "OTEL_EXPORTER_OTLP_ENDPOINT": ["collector:4318", "http://collector:word"],
    "SENTRY_DSN": ["public@sentry.example.org/1", "https://sentry.example.org/1", "https://key@sentry.example.org"],
    "REDIS_URL": [
        "rubbish",
        "redis://host/zz",
        "redis://host:word/1",
        "redis://host:99999/1",
        "redis:///1",
        "redis://h?db=x",
    ],
    "REDIS_PREFIX": ["a b", "live*"],
    "QUEUE_POLL_SECONDS": ["0", "often", "11"],
    "SQLITE_SYNCHRONOUS": ["sometimes"],
    "DATABASE_STATEMENT_TIMEOUT_MS": ["-1"],
    "BASE_URL": ["signalbox.example.org", "ftp://example.org", "https://", "https://example.org/?a=b"],
    "TRUSTED_PROXIES": ["-1", "one"],
    "WEB_CONCURRENCY": ["0", "-2"],
    "AREAS": ["foo", "datasets,datasets", ""],
    "TIME_ZONE": ["Mars/Olympus", ""],
    "CONSOLE_THEME": ["dark"],
    "LOG_LEVEL": ["loud"],
    "LOG_FORMAT": ["xml"],
    "PROVIDERS": ["nothing", "x=y", "a=sandbox", "a=smtp://h:word", "a=smpp://h:99999", ""],
    "EMAIL_DOMAIN": ["", "example org"],
    "DEFAULT_SMS_SENDER": ["00x", "", "much too long a name"],
    "RATE_LIMIT_PER_MINUTE": ["0"],
    "DAILY_LIMIT_EMAIL": ["-1", "9999999999"],
    "TRIAL_MODE_URL": ["notaurl"],
    "SMS_RATE": ["-1", "NaN"],
    "SMS_PRICE_TABLE": ["/nope.csv", "README.md"],
    "PROVISION_AUTHOR": ["nobody"],
    "GIVE_UP_SMS_HOURS": ["0", "100000"],
    "GUEST_LIST_MAX": ["-1"],
    "REQUEST_MAX_BYTES": ["0", "10"],
    "BULK_MAX_BYTES": ["10"],
    "OUTBOUND_ALLOWED_NETWORKS": ["10.0.0.0/8,here"],
    "FILES_BASE_URL": ["files"],
    "FILES_HELP_CONTACT": ["nobody"],
    "FILES_STORAGE": ["tape", "s3"],
    "FILES_MAX_PER_EMAIL": ["0"],
    "FILES_TRIES": ["0"],
    "SCANNER": ["clamd", "clamd:tcp:host:99999", "clamd:tcp:host:0"],
    "FILES_DIR": ["/proc/nope"],
    "FILES_S3_ENDPOINT": ["store.example.org", "https://store:word"],
    "RETURNED_EMAIL_IMAP_URL": ["imap.example.org", "imaps://u:p@h:word/INBOX"],
    "OIDC_ROLES": ['{"a": ["king"]}', '{"a": ["Pay: king"]}', '{"a": [": see_activity"]}', "[]"],
    "SCAN_TIMEOUT_SECONDS": ["0", "nan"],
    "DATASETS_DEFAULT_LIMIT": ["0", "20000"],
    "DATASETS_ROTATION_DAYS": ["-1"],
    "COLUMNS": ["of"],
    "QUERY_MEMORY_MB": ["100"],
    "SUDO_MINUTES": ["0"],
    "AUDIT_RETENTION_DAYS": ["7"],
    "REQUIRE_SECOND_FACTOR": ["perhaps"],
}


@pytest.mark.parametrize("name", WRONG)
def test_one_line_names_the_variable(name, tmp_path):
    environment = {**os.environ, "VAR_DIR": str(tmp_path / "var")}
    programs = {
        value: forks.start(
            "manage.py", "check", log=tmp_path / f"{number}.log", environment={**environment, name: value}
        )
        for number, value in enumerate(WRONG[name])
    }

    for value, program in programs.items():
        assert program.process.wait(100) != 0, value
        lines = program.log.read_text().splitlines()
        assert len(lines) == 1, lines
        assert name.removesuffix("_FILE") in lines[0]


def test_a_password_in_a_wrong_url_is_not_repeated(tmp_path):
    environment = {**os.environ, "VAR_DIR": str(tmp_path), "DATABASE_URL": "mysql://user:secret-word@host/name"}

    program = forks.start("manage.py", "check", log=tmp_path / "log", environment=environment)

    assert program.process.wait(100) == 1
    assert "secret-word" not in program.log.read_text()


def test_a_line_end_in_a_file_is_not_part_of_the_value(tmp_path):
    (tmp_path / "level").write_text("debug\n")
    environment = {**os.environ, "VAR_DIR": str(tmp_path), "LOG_LEVEL_FILE": str(tmp_path / "level")}

    program = forks.start("manage.py", "check", log=tmp_path / "log", environment=environment)

    assert program.process.wait(100) == 0, program.tail()


def test_the_sandbox_may_follow_another_provider(tmp_path):
    providers = "smtp-1=smtp://mail.example.org, sandbox=sandbox"
    environment = {**os.environ, "VAR_DIR": str(tmp_path), "PROVIDERS": providers}
    show = "from notifications.delivery import providers; print(*[one.name for one in providers.configured()])"

    program = forks.start(
        "manage.py", "shell", "--no-imports", "-c", show, log=tmp_path / "log", environment=environment
    )

    assert program.process.wait(100) == 0, program.tail()
    assert program.tail().endswith("smtp-1 sandbox")
