"""Postfix and Dovecot as Debian packages them, each with a configuration, folders and ports of the test's own."""

from __future__ import annotations

import contextlib
import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.emails.servers import Authority, an_authority, free_port

PATH = f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/lib/dovecot"
PASSWORD = "opensesame"
OURS, THEIRS = "play.example", "players.example"
"""The domain of the reply addresses, whose mail lies in one mailbox, and that of the players."""

DOVECOT = """\
base_dir = {folder}/run
state_dir = {folder}/state
log_path = {folder}/dovecot.log
protocols = imap lmtp
listen = 127.0.0.1
ssl = required
ssl_cert = <{folder}/DNS-localhost.pem
ssl_key = <{folder}/DNS-localhost.key
ssl_dh =
mail_location = maildir:{folder}/mail/%n
auth_mechanisms = plain
auth_username_format = %Ln
passdb {{
  driver = passwd-file
  args = scheme=PLAIN {folder}/users
}}
userdb {{
  driver = passwd-file
  args = {folder}/users
}}
{capability}
service imap-login {{
  inet_listener imap {{
    port = 0
  }}
  inet_listener imaps {{
    port = {imaps}
    ssl = yes
  }}
}}
service lmtp {{
  inet_listener lmtp {{
    address = 127.0.0.1
    port = {lmtp}
  }}
}}
"""

POSTFIX_MAIN = """\
compatibility_level = 3.6
queue_directory = {folder}/queue
data_directory = {folder}/data
command_directory = /usr/sbin
daemon_directory = /usr/lib/postfix/sbin
mail_owner = postfix
setgid_group = postdrop
maillog_file = {folder}/postfix.log
maillog_file_prefixes = {folder}
myhostname = mx.{ours}
mydestination =
inet_interfaces = 127.0.0.1
inet_protocols = ipv4
mynetworks = 127.0.0.0/8
smtpd_relay_restrictions = permit_mynetworks, reject
alias_maps =
local_recipient_maps =
virtual_mailbox_domains = {ours}, {theirs}
virtual_alias_maps = regexp:{folder}/aliases
virtual_transport = lmtp:inet:127.0.0.1:{lmtp}
lmtp_tls_security_level = none
smtpd_tls_security_level = none
"""

POSTFIX_MASTER = """\
{smtp} inet n - n - - smtpd
pickup unix n - n 60 1 pickup
cleanup unix n - n - 0 cleanup
qmgr unix n - n 300 1 qmgr
rewrite unix - - n - - trivial-rewrite
bounce unix - - n - 0 bounce
defer unix - - n - 0 bounce
trace unix - - n - 0 bounce
flush unix n - n 1000? 0 flush
proxymap unix - - n - - proxymap
smtp unix - - n - - smtp
relay unix - - n - - smtp
showq unix n - n - - showq
error unix - - n - - error
retry unix - - n - - error
lmtp unix - - n - - lmtp
  flags=DORX
anvil unix - - n - 1 anvil
postlog unix-dgram n - n - 1 postlogd
"""


def installed(*programs: str) -> bool:
    """Whether they are there and we may start them: they change to users of their own."""
    return os.geteuid() == 0 and all(shutil.which(program, path=PATH) for program in programs)


@dataclass(frozen=True)
class Imap:
    """Dovecot: everybody in the list has a mailbox, and what is delivered to it over LMTP can be read over IMAP."""

    folder: Path
    imaps: int
    lmtp: int
    authority: Authority

    def url(self, name: str = "estafette") -> str:
        return f"imaps://{name}:{PASSWORD}@localhost:{self.imaps}/INBOX"

    def inbox(self, name: str) -> list[bytes]:
        """The mails in a mailbox, in the order in which they came."""
        folders = [self.folder / "mail" / name / part for part in ("cur", "new")]
        files = [file for folder in folders if folder.exists() for file in folder.iterdir()]
        return [file.read_bytes() for file in sorted(files, key=lambda file: (file.stat().st_mtime_ns, file.name))]

    def seen(self, name: str = "estafette") -> list[bool]:
        """Whether each mail of a mailbox is marked as seen."""
        folders = [self.folder / "mail" / name / part for part in ("cur", "new")]
        return [
            "S" in file.name.rpartition(",")[2] for folder in folders if folder.exists() for file in folder.iterdir()
        ]


@contextlib.contextmanager
def dovecot(*names: str, tells: bool = True) -> Iterator[Imap]:
    """With a mailbox for each of these names; `tells`: it offers IDLE."""
    with _folder() as folder:
        owner = pwd.getpwnam("nobody")
        os.chown(folder, owner.pw_uid, owner.pw_gid)
        authority = an_authority(folder)
        authority.server("DNS:localhost")
        users = [f"{name}:{{PLAIN}}{PASSWORD}:{owner.pw_uid}:{owner.pw_gid}::{folder}/mail/{name}" for name in names]
        (folder / "users").write_text("\n".join(users) + "\n")
        imap = Imap(folder, free_port(), free_port(), authority)
        capability = "" if tells else "imap_capability = IMAP4rev1 LITERAL+"
        settings = DOVECOT.format(folder=folder, imaps=imap.imaps, lmtp=imap.lmtp, capability=capability)
        (folder / "dovecot.conf").write_text(settings)
        with _running(["dovecot", "-F", "-c", str(folder / "dovecot.conf")], imap.imaps, folder / "dovecot.log"):
            yield imap


@contextlib.contextmanager
def postfix(imap: Imap) -> Iterator[int]:
    """Takes mail on a port of 127.0.0.1 and hands it to Dovecot: all of ours to one mailbox, the players' to theirs."""
    with _folder() as folder:
        for name, owner in (("queue", "root"), ("data", "postfix")):
            (folder / name).mkdir()
            shutil.chown(folder / name, owner)
        (folder / "aliases").write_text(f"/@{OURS.replace('.', '[.]')}$/ estafette@{THEIRS}\n")
        port = free_port()
        (folder / "main.cf").write_text(POSTFIX_MAIN.format(folder=folder, lmtp=imap.lmtp, ours=OURS, theirs=THEIRS))
        (folder / "master.cf").write_text(POSTFIX_MASTER.format(smtp=port))
        subprocess.run(["postfix", "-c", folder, "check"], check=False, capture_output=True, env={"PATH": PATH})
        command = ["/usr/lib/postfix/sbin/master", "-c", str(folder), "-d"]
        with _running(command, port, folder / "postfix.log"):
            yield port


@contextlib.contextmanager
def smtp_sink(*faults: str) -> Iterator[int]:
    """Postfix's test server with these faults."""
    port = free_port()
    with _running(["smtp-sink", "-u", "nobody", *faults, f"127.0.0.1:{port}", "100"], port, None):
        yield port


@contextlib.contextmanager
def _folder() -> Iterator[Path]:
    """Where other users than root get to, unlike in pytest's folders."""
    folder = Path(tempfile.mkdtemp(prefix="estafette-mail-"))
    folder.chmod(0o755)
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@contextlib.contextmanager
def _running(command: list[str], port: int, log: Path | None) -> Iterator[None]:
    process = subprocess.Popen(
        command,
        env={"PATH": PATH},
        start_new_session=True,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    try:
        _wait_for(process, port, log)
        yield
    finally:
        process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(10)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def _wait_for(process: subprocess.Popen[bytes], port: int, log: Path | None) -> None:
    for _ in range(150):
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return
        if process.poll() is not None:
            break
        time.sleep(0.1)
    process.kill()
    said = process.communicate()[1].decode(errors="replace")
    raise AssertionError(f"{process.args!r} does not listen: {said} {log.read_text() if log and log.exists() else ''}")
