"""Measure how many emails a second a service accepts, with a test key: nothing leaves, and no daily limit counts.

`pip install ./cli`. Set API, NOTIFY_API_KEY (a test key) and EMAIL_TEMPLATE; NUMBER and AT_ONCE choose the load.
"""

import asyncio
import os
import sys
import time

from signalbox import AsyncSignalbox, RateLimited

NUMBER, AT_ONCE = int(os.environ.get("NUMBER", "500")), int(os.environ.get("AT_ONCE", "20"))


async def main() -> None:
    if "test" not in os.environ["NOTIFY_API_KEY"].split("-")[0]:
        sys.exit("Name the key test-…, so that nobody uses a live key here.")
    free = asyncio.Semaphore(AT_ONCE)
    seconds: list[float] = []
    async with AsyncSignalbox(os.environ["API"], os.environ["NOTIFY_API_KEY"], max_retries=0) as client:

        async def send(number: int) -> bool:
            async with free:
                started = time.monotonic()
                try:
                    values = {"name": f"Ana {number}", "items": ["a passport"]}
                    await client.send_email_notification("ana@example.org", os.environ["EMAIL_TEMPLATE"], values)
                except RateLimited:
                    return False
                seconds.append(time.monotonic() - started)
                return True

        started = time.monotonic()
        accepted = sum(await asyncio.gather(*(send(number) for number in range(NUMBER))))
    took = time.monotonic() - started
    slowest = sorted(seconds)[int(len(seconds) * 0.95)]
    print(f"{accepted} of {NUMBER} accepted, {accepted / took:.0f} a second, 95 % within {slowest * 1000:.0f} ms")


asyncio.run(main())
