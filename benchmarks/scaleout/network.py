"""Connect machines with a bridge, and cut them off as a broken cable does: packets vanish without an answer.

Each machine is a network namespace with an address of 127.0.1.0/24 on the bridge and 127.0.0.1 on its own loopback, so
every packet has a loopback address and stays inside. `route_localnet` lets these addresses leave a machine.
"""

import os
import subprocess

NETWORK = "127.0.1."
OWN = f"{NETWORK}1"  # the address of this program, on the bridge
_NOWHERE = "02:00:00:00:00:00"  # no machine has it
_LOCALNET = "for file in /proc/sys/net/ipv4/conf/*/route_localnet; do echo 1 >$file; done"


def _ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True)


class Network:
    def __init__(self) -> None:
        os.makedirs("/run/netns", exist_ok=True)
        subprocess.run(["mount", "-t", "tmpfs", "tmpfs", "/run/netns"], check=True)
        _ip("link", "add", "machines", "type", "bridge")
        subprocess.run(["sh", "-c", _LOCALNET], check=True)
        _ip("addr", "add", "127.0.0.1/32", "dev", "lo")
        _ip("link", "set", "lo", "up")
        subprocess.run(["ip", "addr", "del", "127.0.0.1/8", "dev", "lo"], check=False, stderr=subprocess.DEVNULL)
        _ip("addr", "add", f"{OWN}/24", "dev", "machines")
        _ip("link", "set", "machines", "up")

    def add(self, name: str, address: str) -> None:
        """Create the namespace of a machine and connect it."""
        _ip("netns", "add", name)
        _ip("link", "add", f"v-{name}", "type", "veth", "peer", "name", "eth0", "netns", name)
        subprocess.run([*self.inside(name), "sh", "-c", _LOCALNET], check=True)
        _ip("-n", name, "addr", "add", "127.0.0.1/32", "dev", "lo")
        _ip("-n", name, "link", "set", "lo", "up")
        subprocess.run(
            ["ip", "-n", name, "addr", "del", "127.0.0.1/8", "dev", "lo"], check=False, stderr=subprocess.DEVNULL
        )
        _ip("-n", name, "addr", "add", f"{address}/24", "dev", "eth0")
        _ip("-n", name, "link", "set", "eth0", "up")
        self.rejoin(name)

    def inside(self, name: str) -> tuple[str, ...]:
        """Return the start of a command that runs in a machine's network."""
        return ("nsenter", f"--net=/run/netns/{name}")

    def cut_off(self, name: str) -> None:
        _ip("link", "set", f"v-{name}", "nomaster")

    def rejoin(self, name: str) -> None:
        _ip("link", "set", f"v-{name}", "master", "machines", "up")

    def lose_packets(self, name: str, *addresses: str) -> None:
        """Lose the packets of a machine to these addresses."""
        for address in addresses:
            _ip("-n", name, "neigh", "replace", address, "lladdr", _NOWHERE, "dev", "eth0", "nud", "permanent")

    def find_again(self, name: str, *addresses: str) -> None:
        for address in addresses:
            _ip("-n", name, "neigh", "del", address, "dev", "eth0")

    def processes(self, name: str) -> list[int]:
        done = subprocess.run(["ip", "netns", "pids", name], check=True, capture_output=True, text=True)
        return [int(word) for word in done.stdout.split()]
