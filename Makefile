# Signalbox: `make run` starts it, `make test` tests it. You need only make and Python 3.11 or newer.

HOST ?= 127.0.0.1
PORT ?= 8000
ARGS ?=
FIGURE ?=
PYTHON ?=
BIN  := .venv/bin

.PHONY: run test bench lint pin sbom
.DEFAULT_GOAL := run

run: .venv
	@$(call install,requirements.txt)
	@exec $(BIN)/python manage.py up --host $(HOST) --port $(PORT)

test: .venv
	@$(call install_for_tests,tests/requirements.txt)
	@exec $(BIN)/python -m tests $(ARGS)

bench: .venv
	@$(call install_for_tests,tests/requirements.txt)
	@exec $(BIN)/python -m benchmarks $(FIGURE) $(ARGS)

lint: .venv
	@$(call install_for_tests,tests/requirements.txt)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# Resolve the version bounds of pyproject.toml again. Read, test and commit the pinned lists that it writes. Their hashes
# make pip install exactly the tested files in production.
pin: .venv
	@$(BIN)/python -m pip install --quiet uv
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --no-header --no-annotate --generate-hashes pyproject.toml -o requirements.txt
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --no-header --no-annotate pyproject.toml --group test -o tests/requirements.txt
	@$(MAKE) --no-print-directory sbom

# List the pinned packages in CycloneDX, for tools that look for known vulnerabilities. `pin` does it, too.
sbom: .venv
	@$(BIN)/python -m pip install --quiet uv
	grep -oE '^[A-Za-z0-9._-]+==[^ ;]+' requirements.txt | \
	  $(BIN)/uv tool run --quiet --from cyclonedx-bom cyclonedx-py requirements --output-reproducible -o deploy/sbom.json -

# Use PYTHON or the first Python that runs and is new enough. A name in PATH may be a shim that only prints other names.
.venv:
	@[ -w . ] || { echo "You cannot write to $$PWD. Clone the repository to a folder that you own."; exit 1; }
	@for python in $(PYTHON) python3.14 python3.13 python3.12 python3.11 python3 python; do \
	  $$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && break; python=; \
	done; \
	[ -n "$$python" ] || { echo "Python 3.11 or newer was not found. Install it from your system's packages or from python.org."; exit 1; }; \
	$$python -c 'import ensurepip, venv' 2>/dev/null || { echo "Python's venv is missing. Install it (Debian and Ubuntu: apt install python3-venv)."; exit 1; }; \
	echo "Creating .venv with $$($$python --version)"; \
	$$python -m venv .venv 2>.venv.log || { rm -rf .venv; tail -n 1 .venv.log; rm -f .venv.log; echo ".venv could not be created. Check that the disk has free space."; exit 1; }; \
	rm -f .venv.log

# Install a pinned list if it differs from the copy in .venv, which is the list that is installed.
define install
cmp -s $(1) .venv/installed-$(subst /,-,$(1)) || { \
  free=$$(df -Pk . | awk 'NR == 2 { print int($$4 / 1024) }'); \
  [ "$$free" -gt 700 ] || { echo "The disk has $$free MB of free space. The installation needs 700 MB."; exit 1; }; \
  echo "Installing $(1)"; \
  $(2)$(BIN)/python -m pip install --disable-pip-version-check --progress-bar on --require-virtualenv -r $(1) \
    || { echo "$(1) could not be installed for the reason above. Check the network connection."; exit 1; }; \
  cp $(1) .venv/installed-$(subst /,-,$(1)); }
endef

# The packages of the tests with uv, which takes a third of pip's time. pip follows if uv cannot reach the index, because
# only pip reads the address of a mirror from pip.conf.
define install_for_tests
$(call install,$(1),$(BIN)/python -m pip install --quiet --require-virtualenv uv && $(BIN)/uv pip install --python .venv -r $(1) || )
endef
