"""A private Postfix: it accepts every email for quay.example, has no mailboxes there, and keeps what it returns."""

import os
import pwd
import shutil
import subprocess
import tempfile
from pathlib import Path

import pytest

from tests.servers import Program, accepts, free_port

BOUNCES = "bounces@signalbox.invalid"
_MAIN = """
compatibility_level = 3.6
queue_directory = {folder}/queue
data_directory = {folder}/data
command_directory = /usr/sbin
daemon_directory = /usr/lib/postfix/sbin
mail_owner = postfix
setgid_group = postdrop
myhostname = mx.quay.example
mydestination = quay.example
local_recipient_maps =
alias_maps =
alias_database =
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
mynetworks = 127.0.0.0/8
smtpd_relay_restrictions = permit_mynetworks, reject
disable_dns_lookups = yes
virtual_mailbox_domains = signalbox.invalid
virtual_mailbox_base = {folder}/mail
virtual_mailbox_maps = static:bounces/
virtual_minimum_uid = 1
virtual_uid_maps = static:{uid}
virtual_gid_maps = static:{gid}
maillog_file_prefixes = {folder}
maillog_file = {folder}/postfix.log
"""
_SERVICES = """
127.0.0.1:{port} inet n - n - - smtpd
cleanup unix n - n - 0 cleanup
qmgr unix n - n 300 1 qmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
trace unix - - n - 0 bounce
proxymap unix - - n - - proxymap
proxywrite unix - - n - 1 proxymap
error unix - - n - - error
retry unix - - n - - error
local unix - n n - - local
virtual unix - n n - - virtual
anvil unix - - n - 1 anvil
tlsmgr unix - - n 1000? 1 tlsmgr
postlog unix-dgram n - n - 1 postlogd
"""


class Postfix:
    """Runs as root, because Postfix gives up its rights for each of its processes."""

    def __init__(self) -> None:
        if shutil.which("postfix", path="/usr/sbin:/usr/bin") is None:
            pytest.skip("postfix is not on this machine")
        if os.geteuid() != 0:
            pytest.skip("postfix starts as root only")
        self._folder = Path(tempfile.mkdtemp(prefix="postfix-", dir="/tmp"))
        self._folder.chmod(0o755)
        nobody = pwd.getpwnam("nobody")
        for name in ("etc", "queue", "data", "mail"):
            (self._folder / name).mkdir()
            (self._folder / name).chmod(0o755)
        shutil.chown(self._folder / "data", "postfix")
        shutil.chown(self._folder / "mail", nobody.pw_uid, nobody.pw_gid)
        self.port = free_port()
        values = {"folder": self._folder, "port": self.port, "uid": nobody.pw_uid, "gid": nobody.pw_gid}
        (self._folder / "etc/main.cf").write_text(_MAIN.format(**values).lstrip())
        (self._folder / "etc/master.cf").write_text(_SERVICES.format(**values).lstrip())
        self._command = ("/usr/sbin/postfix", "-c", str(self._folder / "etc"))
        self._program = Program(*self._command, "start-fg", log=self._folder / "start.log")
        self._program.wait_until(lambda: accepts(self.port))

    @property
    def url(self) -> str:
        return f"smtp://127.0.0.1:{self.port}"

    def returned(self) -> list[Path]:
        """Return the emails in the mailbox for bounces."""
        return sorted((self._folder / "mail/bounces/new").glob("*"))

    def wait_for_returned(self) -> Path:
        self._program.wait_until(self.returned, seconds=60)
        return self.returned()[0]

    def stop(self) -> None:
        # The command has started a master process in a group of its own.
        subprocess.run([*self._command, "abort"], check=True, capture_output=True)
        self._program.stop()
        for _ in range(2):  # a process that ends may still write a file
            shutil.rmtree(self._folder, ignore_errors=True)
