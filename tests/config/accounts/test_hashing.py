"""Test the memory of password hashing, and hashes with older parameters."""

import subprocess
import sys

import pytest
from django.contrib.auth.hashers import Argon2PasswordHasher, check_password, identify_hasher, make_password

from config.accounts.hashing import PasswordHasher
from tests.config.accounts.codes import PASSWORD, is_in, password

MANY_AT_ONCE = """
import resource
from concurrent.futures import ThreadPoolExecutor
from config.accounts.hashing import PasswordHasher
hasher = PasswordHasher()
def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
hasher.encode("one", "some-salt-of-before")
one = peak()
with ThreadPoolExecutor(16) as threads:
    list(threads.map(lambda n: hasher.encode(str(n), "some-salt-of-before"), range(48)))
print((peak() - one) // 1024)
"""


@pytest.fixture
def hasher(settings):
    settings.PASSWORD_HASHERS = ["config.accounts.hashing.PasswordHasher"]


def test_a_hash_takes_19_mib_and_sixteen_at_once_take_twice_as_much():
    done = subprocess.run([sys.executable, "-c", MANY_AT_ONCE], capture_output=True, text=True, check=True)

    assert int(done.stdout) < 3 * 19
    assert "$argon2id$v=19$m=19456,t=2,p=1$" in PasswordHasher().encode(PASSWORD, "some-salt-of-before")


def test_an_older_hash_is_valid_and_replaced_at_the_next_sign_in(client, operator, hasher):
    operator.password = Argon2PasswordHasher().encode(PASSWORD, "a-salt-of-22-characters")
    operator.save()
    assert "m=102400" in operator.password

    password(client)

    operator.refresh_from_db()
    assert is_in(client)
    assert "m=19456,t=2,p=1" in operator.password
    assert check_password(PASSWORD, operator.password)
    assert not check_password("another-password-1", operator.password)


def test_the_hasher_is_the_one_for_new_passwords(hasher):
    assert isinstance(identify_hasher(make_password(PASSWORD)), PasswordHasher)


def test_a_fork_of_a_process_that_has_hashed_can_hash():
    script = """
import os
from config.accounts.hashing import PasswordHasher
PasswordHasher().encode("one", "some-salt-of-before")
child = os.fork()
if child == 0:
    PasswordHasher().encode("two", "some-salt-of-before")
    os._exit(7)
raise SystemExit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    assert subprocess.run([sys.executable, "-c", script], timeout=60, check=False).returncode == 7
