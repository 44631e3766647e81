"""How passwords are hashed: argon2id with 19 MiB, and two at a time in each process.

Django's own figures take 100 MiB a hash: eight sign-ins at once held 700 MiB of a web process.
Source: Security and reliability §1; the figures are those of OWASP's Password Storage Cheat Sheet.
"""

import os
from concurrent.futures import ThreadPoolExecutor

from django.contrib.auth.hashers import Argon2PasswordHasher

_AT_A_TIME = 2


class _Threads:
    """Two threads, and not a semaphore: glibc keeps a hash's memory for each thread that ever made one.

    48 hashes by 16 threads under a semaphore of two left 107 MiB, and leave 19 MiB so.
    """

    def __init__(self) -> None:
        self.renew()
        os.register_at_fork(after_in_child=self.renew)  # threads do not come along

    def renew(self) -> None:
        self.pool = ThreadPoolExecutor(_AT_A_TIME, thread_name_prefix="hashing")


_threads = _Threads()


class PasswordHasher(Argon2PasswordHasher):
    """Django's hasher with OWASP's figures. A hash with other figures is replaced at the next sign-in."""

    memory_cost = 19456  # KiB
    time_cost = 2
    parallelism = 1

    def encode(self, password: str, salt: str) -> str:
        return _threads.pool.submit(super().encode, password, salt).result()

    def verify(self, password: str, encoded: str) -> bool:
        return _threads.pool.submit(super().verify, password, encoded).result()
