"""The Redis client of requests: one connection for each thread, and no answer to another command."""

import os
import signal
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest
import redis

from config.queue.redis_client import ImpatientRedis, impatient
from tests.servers import PrivateRedis, Program, accepts, wait_until

SECONDS = 0.3


@pytest.fixture
def server(redis_server: PrivateRedis) -> PrivateRedis:
    return redis_server


@pytest.fixture
def client(server: PrivateRedis) -> ImpatientRedis:
    return impatient(server.url, SECONDS)


def callers(server: PrivateRedis) -> int:
    """Return the number of connections, except the one of this call."""
    with server.client() as asking:
        return len(asking.client_list()) - 1


def restart(server: PrivateRedis) -> None:
    server.program.kill()
    server.program = Program(*server.program.process.args, log=server.folder / "redis.log")
    server.program.wait_until(lambda: accepts(server.port))


def test_a_thread_keeps_its_connection(server, client):
    answers = [client.execute_command("RPUSH", "letters", "a", 1) for _ in range(3)]

    assert answers == [2, 4, 6]
    assert server.client().lrange("letters", 0, -1) == [b"a", b"1"] * 3
    assert callers(server) == 1


def test_each_thread_has_a_connection_of_its_own(server):
    client = impatient(server.url, 30)
    client.execute_command("SET", "letter", "a")
    with ThreadPoolExecutor(max_workers=1) as other, server.client() as asking:
        waiting = other.submit(client.execute_command, "BLPOP", "letters", 30)
        wait_until(lambda: asking.info("clients")["blocked_clients"] == 1)

        assert client.execute_command("GET", "letter") == b"a"

        client.execute_command("RPUSH", "letters", "b")
        assert waiting.result() == [b"letters", b"b"]


def test_a_rejected_command_raises_and_keeps_the_connection(server, client):
    client.execute_command("SET", "text", "no list")

    with pytest.raises(redis.ResponseError, match="WRONGTYPE"):
        client.execute_command("RPUSH", "text", "a")

    assert client.execute_command("GET", "text") == b"no list"
    assert callers(server) == 1


def test_a_restart_of_redis_causes_no_error(server, client):
    client.execute_command("INCR", "asked")
    restart(server)

    assert client.execute_command("INCR", "asked") == 1


def test_it_reconnects_as_often_as_needed(server, client):
    for _ in range(130):
        client.execute_command("PING")
        server.client().execute_command("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")

    assert client.execute_command("PING") == b"PONG"


def test_a_command_with_an_unknown_outcome_is_not_repeated(server, client):
    """The connection is cut before the answer. Sent again, the command would block until the time-out."""
    client.execute_command("PING")
    cut = threading.Timer(SECONDS / 3, lambda: server.client().execute_command("CLIENT", "KILL", "TYPE", "normal"))
    cut.start()

    with pytest.raises(redis.ConnectionError):
        client.execute_command("BLPOP", "nothing", 30)

    cut.join()
    assert client.execute_command("PING") == b"PONG"


def test_an_unavailable_redis_raises_an_error(server, client):
    client.execute_command("PING")
    server.program.kill()

    with pytest.raises(redis.ConnectionError):
        client.execute_command("PING")
    with pytest.raises(redis.ConnectionError):
        client.execute_command("PING")


def test_a_late_answer_is_dropped(server, client):
    client.execute_command("SET", "whose", "the first")
    os.kill(server.program.pid, signal.SIGSTOP)
    with pytest.raises(redis.TimeoutError):
        client.execute_command("GET", "whose")
    os.kill(server.program.pid, signal.SIGCONT)

    assert client.execute_command("SET", "whose", "the second") == b"OK"


def test_an_interrupted_command_leaves_no_answer_behind(server, client):
    """The request is interrupted by a signal while the answer is on its way, like a worker's time limit."""

    class OutOfTime(BaseException):
        pass

    def out_of_time(*_: object) -> None:
        raise OutOfTime

    client.execute_command("RPUSH", "letters", "a")
    before = signal.signal(signal.SIGALRM, out_of_time)
    try:
        signal.setitimer(signal.ITIMER_REAL, SECONDS / 3)
        with pytest.raises(OutOfTime):
            client.execute_command("BLPOP", "nothing", 1)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)

    assert client.execute_command("LLEN", "letters") == 1


def test_a_fork_does_not_use_the_connection_of_its_parent(server, client):
    client.execute_command("SET", "whose", "the parent's")

    child = os.fork()
    if child == 0:
        is_well = client.execute_command("SET", "child", "was here") and callers(server) == 2
        os._exit(0 if is_well else 1)
    _, status = os.waitpid(child, 0)

    assert os.waitstatus_to_exitcode(status) == 0
    assert client.execute_command("GET", "whose") == b"the parent's"
    assert server.client().get("child") == b"was here"
