#!/usr/bin/env bash
# Dump the database with pg_dump, check the dump, delete dumps that are older than 14 days, and record the time for Prometheus.
# DATABASE_URL or DATABASE_URL_FILE names the database; its role must read every table: that of `migrate`, without PgBouncer.
# The second folder is that of the node exporter's textfile collector; leave it out where Prometheus watches the CronJob.
#
# Usage: deploy/backup/dump.sh FOLDER [FOLDER OF METRICS]
set -euo pipefail
folder="${1:?Usage: deploy/backup/dump.sh FOLDER [FOLDER OF METRICS]}"
metrics="${2:-}"
umask 077
url="${DATABASE_URL:-}"
[ -n "$url" ] || url="$(cat "${DATABASE_URL_FILE:?Set DATABASE_URL or DATABASE_URL_FILE}")"
url="$(printf '%s' "$url" | sed -E 's/prepare_threshold=[^&]*&?//; s/[?&]$//')" # pg_dump does not know this option

# Write a gauge for the node exporter, which runs as another user.
note() {
  [ -d "$metrics" ] || return 0
  printf '# HELP %s %s\n# TYPE %s gauge\n%s %s\n' "$1" "$2" "$1" "$1" "$(date +%s)" >"$metrics/$1.prom.new"
  chmod 0644 "$metrics/$1.prom.new"
  mv "$metrics/$1.prom.new" "$metrics/$1.prom"
}

# Without it, the alert could not see a backup that has never succeeded.
expected=signalbox_backup_expected_since_timestamp_seconds
[ -e "$metrics/$expected.prom" ] || note "$expected" 'Time of the first backup that was started'

dump="$folder/signalbox-$(date -u +%Y%m%dT%H%M%SZ).dump"
trap 'rm -f "$dump.new"' EXIT
pg_dump --format=custom --file="$dump.new" "$url"
[ -s "$dump.new" ] || { echo "The dump is empty." >&2 && exit 1; }
contents="$(pg_restore --list "$dump.new")"
grep --quiet ' TABLE DATA [^ ]* django_migrations ' <<<"$contents" || { echo "The dump has no tables of Signalbox." >&2 && exit 1; }
pg_restore --file=/dev/null "$dump.new" # reads all of it, so that a damaged dump is found now
sync "$dump.new"
mv "$dump.new" "$dump"
find "$folder" -maxdepth 1 -name 'signalbox-*.dump' -mtime +14 -delete
note signalbox_backup_last_success_timestamp_seconds 'Time of the last successful backup'
echo "$dump: $(stat --format=%s "$dump") bytes"
