#!/usr/bin/env bash
# Build the image signalbox:VERSION from the commit that is checked out. It needs Debian 12 with git, python3-venv,
# mmdebstrap and buildah, and 2 GB of free space. Usage: deploy/image/build.sh [name, by default signalbox]
set -euo pipefail
cd "$(dirname "$0")/../.."
suite=bookworm
name="${1:-signalbox}"
python=/usr/bin/python3  # of the same release as the image: the wheels depend on its exact version
version="$("$python" -c 'import runpy; print(runpy.run_path("config/version.py")["VERSION"])')"
build=deploy/image/build
packages=ca-certificates,media-types,python3,tini,tzdata
user='signalbox:x:10001:10001:Signalbox:/var/lib/signalbox:/usr/sbin/nologin'

rm -rf "$build"
mkdir -p "$build/code"

echo "1. the code of $(git describe --always --tags)"
git archive HEAD config datasets notifications templates manage.py pyproject.toml LICENSE CHANGELOG.md \
  deploy/image/start | tar -x -C "$build/code"

echo "2. the wheels of requirements.txt, checked by their hashes"
"$python" -m venv "$build/venv"
"$build/venv/bin/pip" wheel --quiet --disable-pip-version-check --require-hashes --no-deps -r requirements.txt -w "$build/wheels"
"$build/venv/bin/pip" install --quiet --no-index --no-deps --find-links "$build/wheels" --target "$build/site-packages" \
  "$build"/wheels/*.whl
"$build/venv/bin/python" -m compileall -q "$build/code"

echo "3. the root file system"
mmdebstrap --quiet --variant=minbase --include="$packages" \
  --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-include=/usr/share/doc/*/copyright' \
  --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/locale/*' \
  --customize-hook="echo '$user' >>\"\$1/etc/passwd\"; echo 'signalbox:x:10001:' >>\"\$1/etc/group\"" \
  --customize-hook='install -d -m 0700 -o 10001 -g 10001 "$1/var/lib/signalbox"' \
  "$suite" "$build/root.tar"
in_image="$(tar -xOf "$build/root.tar" ./var/lib/dpkg/status | sed -n '/^Package: python3-minimal$/,/^$/s/^Version: \([0-9.]*\).*/\1/p')"
in_wheels="$("$python" -c 'import platform; print(platform.python_version())')"
[ "$in_image" = "$in_wheels" ] || { echo "The image has Python $in_image, but the wheels are for $in_wheels." >&2; exit 1; }

echo "4. the image"
buildah build --quiet --tag "$name:$version" --file deploy/image/Containerfile deploy/image
rm -rf "$build"
echo "Built $name:$version"
