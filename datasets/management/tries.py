"""`manage.py try data`: send one record to the running service over HTTP."""

import json
import urllib.error
import urllib.request

from django.core.management import CommandError
from django.utils import timezone

from datasets.management.demo import TOKEN_VARIABLE
from datasets.records import moments


def try_data(base_url: str, variables: dict[str, str]) -> str:
    """Write one record and return the line to print. Raises CommandError with the error message of the service."""
    record = {"_timestamp": moments.write(timezone.now()), "channel": "web", "count": 1}
    headers = {"Authorization": f"Bearer {variables[TOKEN_VARIABLE]}", "Content-Type": "application/json"}
    url = f"{base_url}/data/demo/visits"
    request = urllib.request.Request(url, json.dumps([record]).encode(), headers)  # noqa: S310  the URL of the operator
    try:
        with urllib.request.urlopen(request, timeout=10):  # noqa: S310
            return f"Wrote one record to demo/visits. See it at {base_url}/admin/datasets/dataset/"
    except urllib.error.HTTPError as error:
        raise CommandError(f"{error.code}: {json.load(error)['message']}") from error
    except OSError as error:
        raise CommandError(f"No service runs at {base_url}. Start it with `make run`.") from error
