"""Text messages through Amazon SNS: `sns://key:secret@eu-west-2`; without a key, the AWS SDK finds credentials.

The SDK signs requests and parses answers. Signalbox's own HTTP session sends them, with its time-outs and limits.
`endpoint=` names another server with the SNS API. `topic=` names the only topic whose notifications are accepted.
Source: docs/reference/sending-api.md §19.2; docs/reference/security.md §11, §12.
"""

import io
import re
from collections.abc import Iterator
from typing import Any

import requests
from boto3.session import Session
from botocore.awsrequest import AWSPreparedRequest, AWSResponse
from botocore.config import Config
from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    NoCredentialsError,
    ParamValidationError,
    PartialCredentialsError,
)
from botocore.parsers import ResponseParserError

from notifications.delivery.messages import Accepted, DeliveryFailure, OutgoingSms, PermanentFailure, TemporaryFailure
from notifications.delivery.providers import http
from notifications.delivery.providers.per_thread import PerThread
from notifications.delivery.providers.provider_url import ProviderUrl
from notifications.delivery.providers.sns_posts import SnsPosts

_REGION = re.compile(r"[a-z]{2}(-[a-z]+)+-[0-9]\Z")
_SENDER_ID = re.compile(r"(?=.*[A-Za-z])[A-Za-z0-9]{1,11}\Z")
_NUMBER = re.compile(r"phone ?number", re.IGNORECASE)
_THROTTLED = re.compile(r"Throttl|LimitExceeded|RequestLimit|TooManyRequests", re.IGNORECASE)  # some have status 400


class Sns(SnsPosts):
    """One account in one region."""

    carries: tuple[type[OutgoingSms], ...] = (OutgoingSms,)

    def __init__(self, name: str, url: str) -> None:
        """Raise ValueError for an unusable URL. The error leaves out the URL, because it may contain a password."""
        parsed = ProviderUrl.parse(url, known=("endpoint", "receipts", "topic"))
        if not _REGION.match(parsed.host) or parsed.port or parsed.path not in ("", "/"):
            raise ValueError("must be such as sns://key:secret@eu-west-2")
        if bool(parsed.user) != bool(parsed.password):
            raise ValueError("has a key without its secret, or a secret without its key")
        endpoint = parsed.parameters.get("endpoint", "")
        if endpoint:
            other = ProviderUrl.parse(endpoint, known=())
            if other.scheme != "https" and not (other.scheme == "http" and other.is_local):
                raise ValueError("has an endpoint that must be https")
        super().__init__(topic=parsed.parameters.get("topic", ""), region=parsed.host, endpoint=endpoint)
        self.name = name
        self.sends_receipts = parsed.are_receipts_on(can_check_receipts=bool(parsed.parameters.get("topic")))
        self._where = {"region_name": parsed.host, "endpoint_url": endpoint or None}
        self._who = {"aws_access_key_id": parsed.user or None, "aws_secret_access_key": parsed.password or None}
        self._client = PerThread(self._new_client)

    @property
    def server(self) -> tuple[str, int]:
        return http.server_of(str(self._client().meta.endpoint_url))

    def send(self, message: OutgoingSms) -> Accepted:
        """Send one text message. Raises TemporaryFailure or PermanentFailure."""
        try:
            answer = self._client().publish(
                PhoneNumber=f"+{message.to}", Message=message.content, MessageAttributes=_attributes(message)
            )
        except ClientError as error:
            raise _failure(error) from error
        except requests.RequestException as error:
            raise http.connection_failure(error) from error
        except (NoCredentialsError, PartialCredentialsError) as error:
            words = "The AWS SDK found no credentials."
            raise TemporaryFailure("no credentials", reply=words, opens_circuit=True) from error
        except ParamValidationError as error:
            raise PermanentFailure("refused by the SDK") from error  # the SDK's text contains the message
        except (
            BotoCoreError,
            ResponseParserError,
            LookupError,
        ) as error:  # the SDK raises LookupError for an incomplete answer
            raise TemporaryFailure("unreadable answer", is_uncertain=True) from error
        reference = answer.get("MessageId")
        if not reference:
            raise TemporaryFailure("unreadable answer", is_uncertain=True)
        return Accepted(reference=str(reference))

    def _new_client(self) -> Any:  # Any: the SDK has no types
        config = Config(retries={"total_max_attempts": 1})  # Signalbox retries itself
        client = Session(**self._who).client("sns", config=config, **self._where)
        client.meta.events.register("before-send.sns", self._carry)
        return client

    def _carry(self, request: AWSPreparedRequest, **kwargs: Any) -> AWSResponse:  # Any: arguments that the SDK adds
        """Send a signed request. Raises requests.RequestException or DeliveryFailure, which the SDK passes on."""
        headers = {
            name: value.decode() if isinstance(value, bytes) else str(value)
            for name, value in request.headers.items()
            if name.lower() != "content-length"
        }
        response = self._session().request(request.method, request.url, data=request.body, headers=headers)
        if 300 <= response.status_code <= 399:
            raise http.failure_for(response.status_code, response.reason)
        return AWSResponse(request.url, response.status_code, response.headers, _Raw(response.content))


class _Raw(io.BytesIO):
    """A response body for the SDK."""

    def stream(self, **kwargs: Any) -> Iterator[bytes]:  # Any: urllib3's signature
        yield self.read()


def _attributes(message: OutgoingSms) -> dict[str, dict[str, str]]:
    attributes = {"AWS.SNS.SMS.SMSType": "Transactional"}
    if message.sender.isdigit():
        attributes["AWS.MM.SMS.OriginationNumber"] = f"+{message.sender}" if len(message.sender) > 7 else message.sender
    elif _SENDER_ID.match(message.sender):
        attributes["AWS.SNS.SMS.SenderID"] = message.sender
    return {name: {"DataType": "String", "StringValue": value} for name, value in attributes.items()}


def _failure(error: ClientError) -> DeliveryFailure:
    metadata = error.response.get("ResponseMetadata", {})
    details = error.response.get("Error", {})
    code, words = str(details.get("Code", "")), str(details.get("Message", ""))
    if _THROTTLED.search(code):
        return TemporaryFailure(code, reply=words)
    if code == "InvalidParameter" and _NUMBER.search(words):
        return PermanentFailure(code, reply=words, is_recipients=True)
    retry_after = metadata.get("HTTPHeaders", {}).get("retry-after")
    status = int(metadata.get("HTTPStatusCode") or 500)
    if 200 <= status <= 299:
        return TemporaryFailure("unreadable answer", is_uncertain=True)
    return http.failure_for(status, f"{code} {words}", retry_after)
