"""The two clients. They differ only in how they wait."""

import asyncio
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import AbstractContextManager, ExitStack
from types import TracebackType
from typing import Any, Self, TypeVar

import httpx

from signalbox import _data_calls, _limits, _wire
from signalbox import _more_sending as more
from signalbox import _sending as sending
from signalbox._binding import asynchronous, sync
from signalbox._calls import Call
from signalbox._sandbox import AsyncSandbox, Sandbox
from signalbox.data_sets import AsyncDataSet, DataSet

Result = TypeVar("Result")


class _Settings:
    """The settings of a client. Its `repr` shows no secret."""

    def __init__(
        self,
        url: str,
        key: str | None = None,
        *,
        data_token: str | None = None,
        sandbox_token: str | None = None,
        timeout_seconds: float | None = None,
        max_retries: int = _wire.MAX_RETRIES,
    ) -> None:
        """url: of the service; key: an API key; data_token: of a data set; sandbox_token: SANDBOX_TOKEN

        timeout_seconds: the longest wait for a part of an answer, by default 30; all of it may take twice as long
        max_retries: the most repeats of a call that may be repeated
        """
        self.url = _wire.base_url(url)
        self._key = key
        self._tokens = {"data": data_token, "sandbox": sandbox_token}
        self._timeout = timeout_seconds
        self._max_retries = max_retries
        with _wire.settings_of_environment():
            self._open()

    def _open(self) -> None:
        """Create the HTTP client."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.url}>"

    def _options(self, call: Call[Any]) -> dict[str, Any]:
        """Return the arguments of one request. Each attempt has a token of its own."""
        _wire.check_length(call)
        return {
            "params": call.params,
            "headers": _wire.headers_of(call, self._key, self._tokens),
            "timeout": self._seconds(call),
            **_wire.body_of(call),
        }

    def _seconds(self, call: Call[Any]) -> float:
        """Return the longest wait for a part of the answer."""
        wait = float(call.params.get("wait", 0))
        return (self._timeout or call.timeout_seconds or _wire.TIMEOUT_SECONDS) + wait

    def _most_seconds(self, call: Call[Any]) -> float:
        return self._seconds(call) * _limits.TIMES_THE_TIMEOUT


class Signalbox(_Settings):
    """A client of one service. It may be used by several threads, and as a context manager.

    >>> client.get_all_templates("sms")["templates"][0]["name"]
    'Gate code'
    """

    def _open(self) -> None:
        self._http = httpx.Client(**_wire.http_options(self.url))
        self._watch = _limits.Watch()
        self.sandbox = Sandbox(self)

    def close(self) -> None:
        self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def data_set(self, path: str, token: str | None = None) -> DataSet:
        """Return a data set, such as `demo/visits`. token: of this data set, unless the client has one

        >>> client.data_set("demo/visits")
        <data set demo/visits>
        """
        return DataSet(self, path, token)

    send_email_notification = sync(sending.send_email_notification)
    send_sms_notification = sync(sending.send_sms_notification)
    get_notification_by_id = sync(sending.get_notification_by_id)
    get_all_notifications = sync(sending.get_all_notifications)
    get_scheduled_notifications = sync(sending.get_scheduled_notifications)
    reschedule_notification = sync(sending.reschedule_notification)
    cancel_notification = sync(sending.cancel_notification)
    get_received_texts = sync(sending.get_received_texts)
    get_unsubscribe_requests = sync(sending.get_unsubscribe_requests)
    get_api_key = sync(more.get_api_key)
    get_template = sync(more.get_template)
    get_template_version = sync(more.get_template_version)
    get_all_templates = sync(more.get_all_templates)
    post_template_preview = sync(more.post_template_preview)
    get_managed_template = sync(more.get_managed_template)
    create_template = sync(more.create_template)
    update_template = sync(more.update_template)
    send_bulk = sync(more.send_bulk)
    get_bulk_send = sync(more.get_bulk_send)
    get_all_bulk_sends = sync(more.get_all_bulk_sends)
    get_bulk_rows = sync(more.get_bulk_rows)
    change_bulk_send = sync(more.change_bulk_send)
    get_suppressions = sync(more.get_suppressions)
    add_suppression = sync(more.add_suppression)
    find_suppressions = sync(more.find_suppressions)
    remove_suppression = sync(more.remove_suppression)
    get_saved_queries = sync(_data_calls.get_saved_queries)
    run_saved_query = sync(_data_calls.run_saved_query)

    def get_all_notifications_iterator(self, **filters: Any) -> Iterator[dict[str, Any]]:
        """Yield all messages that match, newest first.

        >>> next(client.get_all_notifications_iterator(template_type="email"))["type"]
        'email'
        """
        older_than = None
        while page := self.get_all_notifications(**{**filters, "older_than": older_than})["notifications"]:
            yield from page
            older_than = page[-1]["id"]

    def _stream(self, call: Call[Any]) -> Iterator[bytes]:
        """Yield the bytes of an answer as they arrive. It is not repeated."""
        try:
            with ExitStack() as answer:
                with self._watch.within(self._most_seconds(call)):
                    response = answer.enter_context(self._request(call))
                    is_page = response.headers.get("Content-Type", "").startswith("text/html")
                    if not response.is_success or is_page:  # a page is from something in front of the service
                        raise _wire.error_of(self._whole(response))
                yield from _limits.paced(response.iter_bytes(), self._seconds(call))
        except httpx.RequestError as error:
            raise _wire.connection_error(self.url, error) from None

    def _request(self, call: Call[Any]) -> AbstractContextManager[httpx.Response]:
        extensions = {"trace": self._watch.trace}
        return self._http.stream(call.method, call.path, **self._options(call), extensions=extensions)

    def _whole(self, response: httpx.Response) -> httpx.Response:
        body = _limits.Body(self.url)
        for block in response.iter_bytes():
            body.add(block)
        return body.of(response)

    def _run(self, call: Call[Result]) -> Result:
        attempt = 0
        while True:
            attempt += 1
            response, failure = None, None
            try:
                with self._watch.within(self._most_seconds(call)), self._request(call) as answer:
                    response = self._whole(answer)
            except httpx.RequestError as error:
                response, failure = None, error
            delay = (
                _wire.delay_before_retry(call, attempt, self._max_retries, response)
                if response is None or not response.is_success
                else None
            )
            if delay is not None:
                time.sleep(delay)
            elif response is not None:
                return _wire.read(call, response)
            elif failure is not None:
                raise _wire.connection_error(self.url, failure) from None


class AsyncSignalbox(_Settings):
    """The client for asyncio, with the methods of `Signalbox`.

    >>> import asyncio
    >>> async def name_of_first_template():
    ...     async with AsyncSignalbox(url, key) as client:
    ...         return (await client.get_all_templates("sms"))["templates"][0]["name"]
    >>> asyncio.run(name_of_first_template())
    'Gate code'
    """

    def _open(self) -> None:
        self._http = httpx.AsyncClient(**_wire.http_options(self.url))
        self.sandbox = AsyncSandbox(self)

    async def close(self) -> None:
        await self._http.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.close()

    def data_set(self, path: str, token: str | None = None) -> AsyncDataSet:
        """Return a data set, such as `demo/visits`."""
        return AsyncDataSet(self, path, token)

    send_email_notification = asynchronous(sending.send_email_notification)
    send_sms_notification = asynchronous(sending.send_sms_notification)
    get_notification_by_id = asynchronous(sending.get_notification_by_id)
    get_all_notifications = asynchronous(sending.get_all_notifications)
    get_scheduled_notifications = asynchronous(sending.get_scheduled_notifications)
    reschedule_notification = asynchronous(sending.reschedule_notification)
    cancel_notification = asynchronous(sending.cancel_notification)
    get_received_texts = asynchronous(sending.get_received_texts)
    get_unsubscribe_requests = asynchronous(sending.get_unsubscribe_requests)
    get_api_key = asynchronous(more.get_api_key)
    get_template = asynchronous(more.get_template)
    get_template_version = asynchronous(more.get_template_version)
    get_all_templates = asynchronous(more.get_all_templates)
    post_template_preview = asynchronous(more.post_template_preview)
    get_managed_template = asynchronous(more.get_managed_template)
    create_template = asynchronous(more.create_template)
    update_template = asynchronous(more.update_template)
    send_bulk = asynchronous(more.send_bulk)
    get_bulk_send = asynchronous(more.get_bulk_send)
    get_all_bulk_sends = asynchronous(more.get_all_bulk_sends)
    get_bulk_rows = asynchronous(more.get_bulk_rows)
    change_bulk_send = asynchronous(more.change_bulk_send)
    get_suppressions = asynchronous(more.get_suppressions)
    add_suppression = asynchronous(more.add_suppression)
    find_suppressions = asynchronous(more.find_suppressions)
    remove_suppression = asynchronous(more.remove_suppression)
    get_saved_queries = asynchronous(_data_calls.get_saved_queries)
    run_saved_query = asynchronous(_data_calls.run_saved_query)

    async def get_all_notifications_iterator(self, **filters: Any) -> AsyncIterator[dict[str, Any]]:
        """Yield all messages that match, newest first."""
        older_than = None
        while page := (await self.get_all_notifications(**{**filters, "older_than": older_than}))["notifications"]:
            for message in page:
                yield message
            older_than = page[-1]["id"]

    async def _run(self, call: Call[Result]) -> Result:
        attempt = 0
        while True:
            attempt += 1
            response, failure = None, None
            try:
                async with asyncio.timeout(self._most_seconds(call)):
                    response = await self._whole(call)
            except httpx.RequestError as error:
                failure = error
            except TimeoutError:
                failure = httpx.ReadTimeout("The answer is too slow")
            delay = (
                _wire.delay_before_retry(call, attempt, self._max_retries, response)
                if response is None or not response.is_success
                else None
            )
            if delay is not None:
                await asyncio.sleep(delay)
            elif response is not None:
                return _wire.read(call, response)
            elif failure is not None:
                raise _wire.connection_error(self.url, failure) from None

    async def _whole(self, call: Call[Any]) -> httpx.Response:
        body = _limits.Body(self.url)
        async with self._http.stream(call.method, call.path, **self._options(call)) as response:
            async for block in response.aiter_bytes():
                body.add(block)
        return body.of(response)
