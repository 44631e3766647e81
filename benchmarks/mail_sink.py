"""Run a mail server that accepts everything at once: `python -m benchmarks.mail_sink <port> <file> [address]`.

The file gets one line for each message: the time of the monotonic clock, and the part of the `Message-ID` before the @.
The content of the first message is stored next to the file. The server supports PIPELINING and needs little CPU.
"""

import asyncio
import sys
import time
from pathlib import Path
from typing import TextIO, cast

_END = b"\r\n.\r\n"


class Conversation(asyncio.Protocol):
    def __init__(self, notes: TextIO, first: Path) -> None:
        self._notes, self._first = notes, first
        self._buffer = b""
        self._in_content = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        self._transport.write(b"220 sink ESMTP\r\n")

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        answers = []
        while answer := self._content() if self._in_content else self._command():
            answers.append(answer)
        self._transport.write(b"".join(answers))

    def _content(self) -> bytes:
        content, end, rest = self._buffer.partition(_END)
        if not end:
            return b""
        self._buffer, self._in_content = rest, False
        at = content.lower().find(b"message-id: <")
        identifier = content[at + 13 :].partition(b"@")[0].decode()
        self._notes.write(f"{time.monotonic()} {identifier}\n")
        if not self._first.exists():
            self._first.write_bytes(content)
        return b"250 taken\r\n"

    def _command(self) -> bytes:
        line, end, rest = self._buffer.partition(b"\r\n")
        if not end:
            return b""
        self._buffer = rest
        match line[:4].upper():
            case b"EHLO":
                return b"250-sink\r\n250-PIPELINING\r\n250 8BITMIME\r\n"
            case b"DATA":
                self._in_content = True
                return b"354 go on\r\n"
            case b"QUIT":
                return b"221 bye\r\n"
        return b"250 fine\r\n"


async def main(port: int, file: Path, address: str = "127.0.0.1") -> None:
    with file.open("a", buffering=1) as notes:
        serve = asyncio.get_running_loop().create_server
        server = await serve(lambda: Conversation(notes, file.with_suffix(".first")), address, port)
        await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main(int(sys.argv[1]), Path(sys.argv[2]), *sys.argv[3:]))
