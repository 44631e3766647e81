"""The part `sandbox` of both clients."""

from typing import TypeVar

from signalbox import _sandbox_calls as sandbox
from signalbox._binding import AsyncCaller, Caller, asynchronous, sync
from signalbox._calls import Call

Result = TypeVar("Result")


class Sandbox:
    """The sandbox of the service: what would have arrived, and what happens next. It is `client.sandbox`."""

    def __init__(self, client: Caller) -> None:
        self._client = client

    def _run(self, call: Call[Result]) -> Result:
        return self._client._run(call)

    messages = sync(sandbox.messages)
    choose_outcome = sync(sandbox.choose_outcome)
    release = sync(sandbox.release)
    rules = sync(sandbox.rules)
    add_rule = sync(sandbox.add_rule)
    remove_rule = sync(sandbox.remove_rule)
    advance_clock = sync(sandbox.advance_clock)
    set_hook = sync(sandbox.set_hook)
    remove_hook = sync(sandbox.remove_hook)
    hook_calls = sync(sandbox.hook_calls)
    repeat_hook_call = sync(sandbox.repeat_hook_call)


class AsyncSandbox:
    """The sandbox for asyncio, as `Sandbox`."""

    def __init__(self, client: AsyncCaller) -> None:
        self._client = client

    async def _run(self, call: Call[Result]) -> Result:
        return await self._client._run(call)

    messages = asynchronous(sandbox.messages)
    choose_outcome = asynchronous(sandbox.choose_outcome)
    release = asynchronous(sandbox.release)
    rules = asynchronous(sandbox.rules)
    add_rule = asynchronous(sandbox.add_rule)
    remove_rule = asynchronous(sandbox.remove_rule)
    advance_clock = asynchronous(sandbox.advance_clock)
    set_hook = asynchronous(sandbox.set_hook)
    remove_hook = asynchronous(sandbox.remove_hook)
    hook_calls = asynchronous(sandbox.hook_calls)
    repeat_hook_call = asynchronous(sandbox.repeat_hook_call)
