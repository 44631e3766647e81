#!/usr/bin/env bash
# Make the secrets of an installation as files, one value in each, and keep those that exist. Keep a copy of the folder in a
# safe, apart from the database: without FIELD_KEYS, no API key works any more.
#
# Usage: deploy/secrets.sh FOLDER [HOST:PORT of PostgreSQL, by default 127.0.0.1:5432]
set -euo pipefail
folder="${1:?Usage: deploy/secrets.sh FOLDER [HOST:PORT]}"
server="${2:-127.0.0.1:5432}"
umask 077
mkdir -p "$folder"

random() { openssl rand -base64 "$1" | tr -d '\n=' | tr '+/' '-_'; }
keep() { [ -e "$folder/$1" ] || printf '%s\n' "$2" >"$folder/$1"; }

keep SECRET_KEY "$(random 48)"
keep FIELD_KEYS "$(openssl rand -base64 32 | tr '+/' '-_')"
keep METRICS_TOKEN "$(random 24)"
keep PROVIDERS 'smtp-1=smtp+tls://user:password@mail.example.org:587'
if [ ! -e "$folder/passwords.sql" ]; then
  : >"$folder/passwords.sql"
  for role in signalbox signalbox_web signalbox_worker; do
    case "$role" in
    signalbox) name=migrate ;;
    *) name="${role#signalbox_}" ;;
    esac
    password="$(random 24)"
    echo "ALTER ROLE $role PASSWORD '$password';" >>"$folder/passwords.sql"
    keep "DATABASE_URL.$name" "postgres://$role:$password@$server/signalbox"
  done
  keep POSTGRES_PASSWORD "$(random 24)"
fi
echo "$folder has the secrets. Write your providers to $folder/PROVIDERS: docs/providers.md describes them."
