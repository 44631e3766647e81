# Signalbox: `make run` starts it, `make test` proves it. Needs make and Python 3.11 or newer, nothing else.

HOST ?= 127.0.0.1
PORT ?= 8000
ARGS ?=
FIGURE ?=
BIN  := .venv/bin

.PHONY: run test bench lint pin
.DEFAULT_GOAL := run

run: .venv
	@$(call install,requirements.txt)
	@exec $(BIN)/python manage.py up --host $(HOST) --port $(PORT)

test: .venv
	@$(call install,tests/requirements.txt)
	@exec $(BIN)/python -m tests $(ARGS)

bench: .venv
	@$(call install,tests/requirements.txt)
	@exec $(BIN)/python -m benchmarks $(FIGURE) $(ARGS)

lint: .venv
	@$(call install,tests/requirements.txt)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# Resolve the bounds of pyproject.toml again; the pinned lists are then read, tested and committed. With the hashes pip
# installs for production exactly the files that were tested.
pin: .venv
	@$(BIN)/python -m pip install --quiet uv
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --no-header --no-annotate --generate-hashes pyproject.toml -o requirements.txt
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --no-header --no-annotate pyproject.toml --group test -o tests/requirements.txt

# The first Python that runs and is new enough. A name on the path may be a shim that only prints where the others are.
.venv:
	@[ -w . ] || { echo "No right to write in $$PWD: clone it to a folder of your own."; exit 1; }
	@for python in python3.14 python3.13 python3.12 python3.11 python3 python; do \
	  $$python -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && break; python=; \
	done; \
	[ -n "$$python" ] || { echo "Python 3.11 or newer is needed and was not found: install it, from your system's packages or from python.org."; exit 1; }; \
	$$python -c 'import ensurepip, venv' 2>/dev/null || { echo "Python's venv is missing: install it (Debian and Ubuntu: apt install python3-venv)."; exit 1; }; \
	echo "Making .venv with $$($$python --version)"; \
	$$python -m venv .venv 2>.venv.log || { rm -rf .venv; tail -n 1 .venv.log; rm -f .venv.log; echo "No .venv could be made: is there space on the disk?"; exit 1; }; \
	rm -f .venv.log

# Install a pinned list, again only when it has changed: the copy in .venv says what is there.
define install
cmp -s $(1) .venv/installed-$(subst /,-,$(1)) || { \
  free=$$(df -Pk . | awk 'NR == 2 { print int($$4 / 1024) }'); \
  [ "$$free" -gt 700 ] || { echo "No space: $$free MB are free here and 700 MB are needed."; exit 1; }; \
  echo "Installing $(1)"; \
  $(BIN)/python -m pip install --quiet --quiet --disable-pip-version-check --require-virtualenv -r $(1) \
    || { echo "$(1) could not be installed: the reason stands above; is the network there?"; exit 1; }; \
  cp $(1) .venv/installed-$(subst /,-,$(1)); }
endef
