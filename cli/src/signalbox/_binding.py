"""Turn the builders of calls into methods of the two clients, with the same parameters and documentation."""

from collections.abc import Callable, Coroutine, Iterator
from functools import wraps
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar

from signalbox._calls import Call

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


class Caller(Protocol):
    def _run(self, call: Call[Result]) -> Result: ...


class Streamer(Caller, Protocol):
    def _stream(self, call: Call[Any]) -> Iterator[bytes]: ...


class AsyncCaller(Protocol):
    async def _run(self, call: Call[Result]) -> Result: ...


def sync(build: Callable[Parameters, Call[Result]]) -> Callable[Concatenate[Caller, Parameters], Result]:
    @wraps(build)
    def method(self: Caller, /, *arguments: Parameters.args, **named: Parameters.kwargs) -> Result:
        return self._run(build(*arguments, **named))

    return method


def of_data_set(
    build: Callable[Concatenate[str, str | None, Parameters], Call[Result]],
) -> Callable[Concatenate[Any, Parameters], Result]:
    """Return a method of `DataSet`: the builder gets the path and the token of the data set first."""

    @wraps(build)
    def method(self: Any, /, *arguments: Parameters.args, **named: Parameters.kwargs) -> Result:
        result: Result = self._client._run(build(self.path, self._token, *arguments, **named))
        return result

    return method


def of_data_set_async(
    build: Callable[Concatenate[str, str | None, Parameters], Call[Result]],
) -> Callable[Concatenate[Any, Parameters], Coroutine[Any, Any, Result]]:
    """Return a method of `AsyncDataSet`, as `of_data_set` does."""

    @wraps(build)
    async def method(self: Any, /, *arguments: Parameters.args, **named: Parameters.kwargs) -> Result:
        result: Result = await self._client._run(build(self.path, self._token, *arguments, **named))
        return result

    return method


def asynchronous(
    build: Callable[Parameters, Call[Result]],
) -> Callable[Concatenate[AsyncCaller, Parameters], Coroutine[Any, Any, Result]]:
    @wraps(build)
    async def method(self: AsyncCaller, /, *arguments: Parameters.args, **named: Parameters.kwargs) -> Result:
        return await self._run(build(*arguments, **named))

    return method
