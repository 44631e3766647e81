#!/usr/bin/env bash
# Back up the database with pgBackRest and record the time for Prometheus. Run it each night as the user postgres, with Patroni
# on both machines: it does nothing on the replica. On Sundays it makes a full backup. The node exporter reads the folder of
# the textfile collector, which must be writable for postgres.
set -euo pipefail
is_replica="$(psql --no-psqlrc --tuples-only --no-align --command 'SELECT pg_is_in_recovery()')"
[ "$is_replica" = f ] || exit 0
textfiles="${1:-/var/lib/prometheus/node-exporter}"
expected=signalbox_backup_expected_since_timestamp_seconds # or the alert could not see a backup that has never succeeded
[ -e "$textfiles/signalbox_backup.prom" ] || printf '# TYPE %s gauge\n%s %s\n' $expected $expected "$(date +%s)" >"$textfiles/signalbox_backup.prom"
type=incr
[ "$(date +%u)" = 7 ] && type=full
pgbackrest --stanza=signalbox --type="$type" backup
pgbackrest --stanza=signalbox check
{
  echo '# HELP signalbox_backup_last_success_timestamp_seconds Time of the last successful backup'
  echo '# TYPE signalbox_backup_last_success_timestamp_seconds gauge'
  echo "signalbox_backup_last_success_timestamp_seconds $(date +%s)"
} >"$textfiles/signalbox.prom.new"
mv "$textfiles/signalbox.prom.new" "$textfiles/signalbox.prom"
