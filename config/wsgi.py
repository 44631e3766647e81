"""The WSGI application: `gunicorn config.wsgi`. In production it refuses to start with an unsafe setting."""

import os
import sys

from django.core.wsgi import get_wsgi_application

from config.databases.postgresql import waiting

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

LOAD_ERROR = 4  # gunicorn ends at this exit code; at another it starts a new process, again and again

try:
    application = get_wsgi_application()
except SystemExit as error:
    sys.stderr.write(f"{error}\n")
    raise SystemExit(LOAD_ERROR) from None
waiting.breaker.is_enforced = True  # requests wait behind one another for a thread
