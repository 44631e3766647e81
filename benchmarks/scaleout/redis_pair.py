"""Two Redis servers and three Sentinels, which choose the master."""

import contextlib

import redis

from benchmarks.scaleout.configuration import deployed
from benchmarks.scaleout.machine import Machine
from tests.servers import Program, wait_until

_OWN = "/var/lib/redis"  # Redis and Sentinel write the changes of roles into their configurations


class RedisPair:
    def __init__(self, servers: tuple[Machine, Machine], watchers: tuple[Machine, ...]) -> None:
        self.servers = servers
        self.programs: dict[str, Program] = {}
        for server in servers:
            self._configure(server)
            self.start(server)
        wait_until(lambda: self.client(servers[1]).info("replication")["master_link_status"] == "up")
        for watcher in watchers:
            text = deployed("redis/sentinel.conf").replace(
                f"bind 127.0.0.1 {servers[0].address}", f"bind 127.0.0.1 {watcher.address}"
            )
            watcher.write(f"{_OWN}/sentinel.conf", text, owner="redis")
            watcher.start("sentinel", "redis-sentinel", f"{_OWN}/sentinel.conf", user="redis")

    def start(self, server: Machine) -> None:
        program = server.start("redis", "redis-server", f"{_OWN}/redis.conf", user="redis")
        program.wait_until(lambda: self._answers(server))
        self.programs[server.name] = program

    def master(self) -> Machine | None:
        """Return the server that HAProxy chooses: the only one with the role of master."""
        masters = [server for server in self.servers if self._role(server) == "master"]
        return masters[0] if len(masters) == 1 else None

    def client(self, server: Machine) -> redis.Redis:
        return redis.Redis(server.address, socket_timeout=1, socket_connect_timeout=1)

    def _configure(self, server: Machine) -> None:
        first, second = self.servers
        text = deployed("redis/replica.conf")
        if server is first:
            text = text.replace(f"bind 127.0.0.1 {second.address}", f"bind 127.0.0.1 {first.address}")
            text = "".join(line for line in text.splitlines(keepends=True) if not line.startswith("replicaof"))
        server.write("/etc/redis/redis.conf", deployed("redis/redis.conf"), owner="redis")
        server.write(f"{_OWN}/redis.conf", text, owner="redis")

    def _answers(self, server: Machine) -> bool:
        return self._role(server) != ""

    def _role(self, server: Machine) -> str:
        with contextlib.suppress(redis.RedisError, OSError):
            return str(self.client(server).info("replication")["role"])
        return ""
