"""A forked process opens connections of its own, although its parent has a pool of connections."""

from django.db import connection

from tests import forks

CODE = """
import os
import django
django.setup()
from django.db import connection

def pid():
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        return cursor.fetchone()[0]

of_parent = pid()
connection.close()
child = os.fork()
if not child:
    os._exit(pid() == of_parent)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


def test_a_forked_process_does_not_use_the_pool_of_its_parent(tmp_path, db):
    if connection.vendor != "postgresql":
        assert connection.vendor == "sqlite", "which has no pool"
        return
    assert forks.output_of(CODE, tmp_path, VAR_DIR=str(tmp_path)) == "0\n"
