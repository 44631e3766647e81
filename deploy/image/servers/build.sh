#!/usr/bin/env bash
# Build the image signalbox-servers:bookworm with PostgreSQL, Redis, clamd and Caddy of Debian 12, for machines that cannot
# load images from a registry. compose.yaml uses it if SERVERS_IMAGE names it. It needs mmdebstrap and buildah, like build.sh.
# Usage: deploy/image/servers/build.sh
set -euo pipefail
cd "$(dirname "$0")"
suite=bookworm
packages=ca-certificates,caddy,clamav-daemon,clamav-freshclam,clamdscan,postgresql,redis-server,tini,wget

rm -rf ../build/servers
mkdir -p ../build/servers
mmdebstrap --quiet --variant=minbase --include="$packages" \
  --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-include=/usr/share/doc/*/copyright' \
  --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/locale/*' \
  --customize-hook='rm -rf "$1"/var/lib/postgresql/* "$1"/etc/postgresql/* && install -d "$1"/data "$1"/config && chmod 0755 "$1"/etc/redis' \
  "$suite" ../build/servers/root.tar
buildah build --quiet --tag "signalbox-servers:$suite" --file servers/Containerfile ..
rm -rf ../build/servers
echo "Built signalbox-servers:$suite"
