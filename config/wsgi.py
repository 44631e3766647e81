"""The WSGI application: `gunicorn config.wsgi`. In production it refuses to start with an unsafe setting."""

import os

from django.core.checks import run_checks
from django.core.wsgi import get_wsgi_application

from config.checks import TAG
from config.postgresql import waiting

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

application = get_wsgi_application()
waiting.silence.is_heeded = True  # here callers queue behind one another

faults = run_checks(tags=[TAG])
if faults:
    raise SystemExit("\n".join(f"{fault.id}: {fault.msg}" for fault in faults))
