#!/bin/sh
# Write one record each hour, from cron:  5 * * * *  . /etc/visits.env && /usr/local/bin/cron.sh
# `pipx install ./cli`. Set SIGNALBOX_URL and SIGNALBOX_DATA_TOKEN in the file that cron reads. The `_id` is the hour,
# so a second run in the same hour replaces the record.
set -eu
hour=$(date -u +%Y-%m-%dT%H)
count=$(find "${VISITS_FOLDER:-/var/spool/visits}" -type f -newermt '1 hour ago' | wc -l)
printf '{"_id": "%s", "_timestamp": "%s:00:00Z", "count": %d}\n' "$hour" "$hour" "$count" |
    signalbox data write demo/visits
