#!/usr/bin/env bash
# Compare the pinned packages with the databases of known vulnerabilities. Run it weekly, on a machine with access to
# pypi.org or api.osv.dev. --strict: otherwise packages that could not be looked up are skipped, and the audit succeeds.
set -euo pipefail
cd "$(dirname "$0")/.."
tools="$(mktemp -d)"
trap 'rm -rf "$tools"' EXIT
python3 -m venv "$tools"
"$tools/bin/pip" install --quiet pip-audit
"$tools/bin/pip-audit" --strict --disable-pip --require-hashes --requirement requirements.txt "$@"
