"""A server on loopback that answers as a test wants."""

import json
import socketserver
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Scripted:
    """Give the answers in turn, and repeat the last one.

    An answer is a status, headers and a body. None breaks off, and a number is the seconds of silence before that.
    """

    def __init__(self, *answers):
        self.answers = list(answers)
        self.asked = []

    def take(self):
        return self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]


@contextmanager
def serve(*answers) -> Iterator[tuple[str, Scripted]]:
    script = Scripted(*answers)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            script.asked.append((self.command, self.path, dict(self.headers), body))
            answer = script.take()
            if answer is None or isinstance(answer, float):
                time.sleep(answer or 0)
                self.close_connection = True
                return
            status, headers, value = answer
            data = value if isinstance(value, bytes) else json.dumps(value).encode()
            self.send_response(status)
            for name, text in {**headers, "Content-Length": str(len(data))}.items():
                self.send_header(name, text)
            self.end_headers()
            self.wfile.write(data)

        do_POST = do_PUT = do_PATCH = do_DELETE = do_GET

        def log_message(self, *arguments):
            """Log nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=[0.02], daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}", script
    finally:
        server.shutdown()
        server.server_close()


@contextmanager
def serve_raw(converse) -> Iterator[str]:
    """Give each connection, after its first bytes, to `converse`, with an event that is set at the end of the test."""
    is_over = threading.Event()

    class Handler(socketserver.BaseRequestHandler):
        def handle(self):
            try:
                self.request.recv(65536)
                converse(self.request, is_over)
            except OSError:
                return  # the client has gone

    class Server(socketserver.ThreadingTCPServer):
        daemon_threads = True

    with Server(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, args=[0.02], daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            is_over.set()
            server.shutdown()
