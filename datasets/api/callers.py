"""What writes of all views note of their caller: the actor, the request, and why a write was refused."""

import uuid
from collections.abc import Iterator
from contextlib import contextmanager

import structlog
from rest_framework.request import Request

from config import audit
from config.audit.models import ActorKind
from config.metrics import registry
from config.rest import body, strict_json
from config.web.ip_addresses import client_ip
from datasets import errors, store
from datasets.api.authentication import token_of
from datasets.api.errors import ERRORS
from datasets.api.headers import WARNINGS
from datasets.models import AccessToken
from datasets.queries import readers
from datasets.queries.readers import ALL, Reader
from datasets.records.schemas.fitting import SchemaFit


def actor(request: Request, token: AccessToken) -> audit.Actor:
    return audit.Actor(kind=ActorKind.TOKEN, id=str(token.pk), label=token.prefix, ip_address=client_ip(request))


def reader_of(request: Request) -> Reader:
    """Return what the request may read. Everybody reads all records of a public data set."""
    if request.auth is None:
        return ALL
    token = token_of(request)
    return readers.of(token.services, is_of_product=token.data_set.is_of_product)


def request_id() -> uuid.UUID | None:
    identifier = structlog.contextvars.get_contextvars().get("request_id")
    return uuid.UUID(identifier) if identifier else None


def schema_warnings(token: AccessToken, fits: SchemaFit | None) -> dict[str, str]:
    """Count the stored records that do not fit the schema, and return the header that states their number."""
    if fits is None or not fits.misfits:
        return {}
    store.schemas.count(token.data_set_id, fits)
    return {} if fits.enforces else {WARNINGS: str(fits.misfits)}


@contextmanager
def logging_write_errors(token: AccessToken, fits: SchemaFit | None = None) -> Iterator[None]:
    """Log why a write was refused, after its transaction was rolled back. fits: counted the records that do not fit"""
    try:
        yield
    except (errors.DataSetError, body.UnreadableBody, strict_json.UnreadableJSON) as error:
        answer, rejection = ERRORS.explain(error), None
        if isinstance(error, errors.RecordsRejected):
            registry.RECORDS.add("refused", number=error.count)
            rejection = error.rejections[0]
            if fits is not None:
                store.schemas.count(token.data_set_id, fits)
        store.log_write_error(
            token.data_set_id,
            status=answer.status,
            reason=answer.message,
            rejection=rejection,
            request_id=request_id(),
        )
        raise
