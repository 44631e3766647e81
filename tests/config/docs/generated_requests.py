"""Generate requests from the OpenAPI document, and check responses against it.

Only a running test imports this module, because importing schemathesis takes each test process half a second.
"""

from collections.abc import Callable
from typing import Any

import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from config.docs.document import document

REQUESTS = 10  # for each operation, valid and invalid ones; the vectors' answers are checked against the document, too
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]
OPERATIONS = {
    one.label: one for one in (found.ok() for found in schemathesis.openapi.from_dict(document()).get_all_operations())
}


def each(label: str, ask: Callable[[Any], None], *, is_valid: bool) -> None:
    """Call `ask` with each generated request of an operation. Number and seed are fixed."""
    mode = GenerationMode.POSITIVE if is_valid else GenerationMode.NEGATIVE

    @settings(
        max_examples=REQUESTS, derandomize=True, database=None, deadline=None, suppress_health_check=list(HealthCheck)
    )
    @given(case=OPERATIONS[label].as_strategy(generation_mode=mode))
    def run(case: Any) -> None:
        ask(case)

    run()
