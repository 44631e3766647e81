"""Every public name has a docstring with an example, and each example does what it shows."""

import doctest
import importlib
import inspect
import pkgutil
import uuid
from pathlib import Path

import pytest
import signalbox

from tests.conftest import DATA_TOKEN, EMAIL_TEMPLATE, KEY, SERVICE_ID, SMS_TEMPLATE, URL, VALUES, in_hours, sent

OPTIONS = doctest.IGNORE_EXCEPTION_DETAIL | doctest.ELLIPSIS
MODULES = [name for _, name, _ in pkgutil.walk_packages(signalbox.__path__, "signalbox.")]
EXAMPLES = [
    example
    for name in MODULES
    for example in doctest.DocTestFinder().find(importlib.import_module(name))
    if example.examples
]
PAGE = Path(__file__).parents[2] / "docs" / "library.md"
# Their classes document them, or they need a package that is not always installed.
PLAIN = {"close", "to_pandas", "to_polars", "to_arrow"}


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.name)
def test_an_example_does_what_it_shows(example, client, tmp_path):
    example.globs.update(_names(example.docstring, client, tmp_path))
    output = []

    failures, _ = doctest.DocTestRunner(optionflags=OPTIONS).run(example, out=output.append)

    assert failures == 0, "".join(output)


def test_the_page_of_the_library_does_what_it_shows(client, tmp_path):
    text = PAGE.read_text().replace("```", "")
    names = _names(text, client, tmp_path) | {"token": DATA_TOKEN, "template_id": EMAIL_TEMPLATE}
    example = doctest.DocTestParser().get_doctest(text, names, "library.md", str(PAGE), 0)
    output = []

    failures, tried = doctest.DocTestRunner(optionflags=OPTIONS).run(example, out=output.append)

    assert (failures, tried > 20) == (0, True), "".join(output)


@pytest.mark.parametrize("name", [one for one in signalbox.__all__ if not one.startswith("__")])
def test_a_public_name_is_documented(name):
    found = getattr(signalbox, name)
    assert inspect.getdoc(found)
    methods = vars(found).items() if name in {"Signalbox", "Sandbox", "DataSet"} else ()
    for method, function in methods:
        if not method.startswith("_") and callable(function) and method not in PLAIN:
            assert ">>>" in (function.__doc__ or ""), f"{name}.{method} has no example"


def _names(text, client, folder):
    """Return the names that examples use, and create only the rows that this one needs."""
    file = folder / "visits.csv"
    file.write_text("_timestamp,_id,count\n2026-11-20T09:00:00Z,a,1\n2026-11-20T10:00:00Z,b,2\n")
    names = {name: getattr(signalbox, name) for name in signalbox.__all__}
    names |= {"client": client, "url": URL, "key": KEY, "visits": client.data_set("demo/visits"), "csv_file": file}
    names |= {"email_template": EMAIL_TEMPLATE, "sms_template": SMS_TEMPLATE, "service_id": SERVICE_ID}
    names["in_an_hour"] = in_hours(1)
    names["new_name"] = f"Tides {uuid.uuid4()}"
    if "sent_id" in text:
        names["sent_id"] = sent(client)
    if "scheduled_id" in text:
        later = client.send_email_notification("ana@example.org", EMAIL_TEMPLATE, VALUES, scheduled_for=in_hours(2))
        names["scheduled_id"] = later["id"]
    if "bulk_id" in text:
        table = [["email address", "name", "items"], ["ana@example.org", "Ana", "a passport"]]
        bulk = client.send_bulk(EMAIL_TEMPLATE, table, name=f"Bulk {uuid.uuid4()}", scheduled_for=in_hours(2))
        names["bulk_id"] = bulk["data"]["id"]
    if "own_template" in text:
        names["own_template"] = client.create_template(name=names["new_name"], type="sms", body="At ((time))")["id"]
    if '"orders"' in text:
        client.sandbox.set_hook("orders")
        client._http.delete("/sandbox/api/hooks/orders/calls")
    return names
