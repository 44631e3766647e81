#!/usr/bin/env bash
# Upgrade the containers of compose.yaml to the image that it names now, one web process after the other, so that no caller
# notices. Usage: deploy/upgrade.sh [command of compose, by default: docker compose]
set -euo pipefail
cd "$(dirname "$0")"
compose=("$@")
[ "$#" -gt 0 ] || compose=(docker compose)

is_serving() {
  "${compose[@]}" exec -T "$1" python3 -c \
    "from urllib.request import urlopen; urlopen('http://127.0.0.1:8000/_status/serving', timeout=3)" >/dev/null 2>&1
}

"${compose[@]}" run --rm migrate
for web in web-1 web-2; do
  "${compose[@]}" up --detach --no-deps "$web"
  seconds=0
  until is_serving "$web"; do
    seconds=$((seconds + 1))
    [ "$seconds" -lt 120 ] || { echo "$web does not serve; see: ${compose[*]} logs $web" >&2; exit 1; }
    sleep 1
  done
  sleep 3 # the proxy looks every second
done
"${compose[@]}" up --detach
