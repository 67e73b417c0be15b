"""A request to an address that somebody typed: to the public internet alone, and to where its name led when looked at.

The name is looked up once, every address that it has is checked, and the connection goes to one of these: a name that
leads elsewhere a moment later does not matter. Redirects are not followed, and of the answer only its status is read.
"""

from __future__ import annotations

import ipaddress
import re
import socket
import ssl
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, TypeAlias
from urllib.parse import SplitResult, urlsplit

from emails.language import gettext as _

Network: TypeAlias = ipaddress.IPv4Network | ipaddress.IPv6Network
_Address: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address

LONGEST_URL: Final = 500
PATIENCE: Final = 10.0
"""Seconds for all of it; a server that drips its answer is left."""

_LONGEST_STATUS: Final = 4096
_STATUS: Final = re.compile(rb"HTTP/1\.[01] ([1-5][0-9][0-9])(?: |\r|\n)")
_TRANSLATED: Final = ipaddress.IPv6Network("64:ff9b::/96")  # IPv4 behind an IPv6 address: RFC 6052
_STRANGE: Final = tuple(map(ipaddress.ip_network, ("192.88.99.0/24", "2002::/16", "2001::/23", "64:ff9b:1::/48")))


class Unreachable(Exception):
    """Nobody answered as a web server does; says why in a few words, without anything that the other side said."""


class Refused(ValueError):
    """To such an address nothing is sent. Says what would be right."""


@dataclass(frozen=True)
class Target:
    """An address of the web that may be called."""

    url: str
    host: str
    port: int
    secure: bool
    path: str


def read(url: str, allowed: Sequence[Network] = ()) -> Target:
    """What somebody typed. Raises Refused; where the name leads is looked at when it is called."""
    parts = _parts(url)
    secure = parts.scheme == "https"
    if not secure and not (parts.scheme == "http" and allowed):
        raise Refused(_("An address begins with https://."))
    if parts.username is not None or parts.password is not None:
        raise Refused(_("An address has no name and no password in it."))
    host = _ascii(parts.hostname or "")
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return Target(url, host, parts.port or (443 if secure else 80), secure, path)


def send(target: Target, body: bytes, headers: Mapping[str, str], allowed: Sequence[Network] = ()) -> int:
    """POST, and the status of the answer. Raises Unreachable, Refused."""
    address = _looked_up(target, allowed)
    try:
        with socket.create_connection(address, timeout=PATIENCE / 2) as plain, _for_so_long(plain):
            wire = _context().wrap_socket(plain, server_hostname=target.host) if target.secure else plain
            with wire:
                wire.sendall(_request(target, body, headers))
                return _status(wire)
    except ssl.SSLCertVerificationError:
        raise Unreachable(_("its certificate is not valid for this name")) from None
    except ssl.SSLError:
        raise Unreachable(_("it speaks no TLS that we know")) from None
    except TimeoutError:
        raise Unreachable(_("it took too long to answer")) from None
    except OSError:
        raise Unreachable(_("no connection could be made, or it broke off")) from None


def may_be_called(address: str, allowed: Sequence[Network] = ()) -> bool:
    """Whether this number leads to the public internet, or into a network that the operator allows."""
    ip = _unwrapped(ipaddress.ip_address(address.partition("%")[0]))
    if any(ip in network for network in allowed if network.version == ip.version):
        return True
    strange = any(ip in network for network in _STRANGE if network.version == ip.version)
    return ip.is_global and not (strange or ip.is_multicast or ip.is_reserved or ip.is_unspecified or ip.is_loopback)


def _unwrapped(ip: _Address) -> _Address:
    """The IPv4 address that an IPv6 address stands for, if it does."""
    if isinstance(ip, ipaddress.IPv6Address):
        if ip.ipv4_mapped:
            return ip.ipv4_mapped
        if ip in _TRANSLATED:
            return ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF)
    return ip


def _parts(url: str) -> SplitResult:
    if len(url) > LONGEST_URL:
        raise Refused(_("This address is too long: %(most)s letters at most.", most=LONGEST_URL))
    if not url.isascii() or not url.isprintable() or " " in url or "\\" in url:
        raise Refused(_("An address has only plain letters, digits and signs, and no blanks."))
    try:
        parts = urlsplit(url)
        if not parts.hostname or parts.port == 0:
            raise ValueError
    except ValueError:
        raise Refused(_("This is no address of the web, like https://example.org/hook.")) from None
    return parts


def _ascii(host: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9._:-]{1,253}", host):
        raise Refused(_("This is no name of a host."))
    return host


def _looked_up(target: Target, allowed: Sequence[Network]) -> tuple[str, int]:
    """One of the addresses of its name, if all of them may be called."""
    try:
        found = socket.getaddrinfo(target.host, target.port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        raise Unreachable(_("its name leads nowhere")) from None
    numbers = [str(each[4][0]) for each in found]
    if not numbers or not all(may_be_called(number, allowed) for number in numbers):
        raise Refused(_("Its name leads into a private network. Only servers on the public internet are called."))
    if not target.secure and not all(any(_is_in(number, network) for network in allowed) for number in numbers):
        raise Refused(_("An address begins with https://."))
    return numbers[0], target.port


def _is_in(number: str, network: Network) -> bool:
    ip = _unwrapped(ipaddress.ip_address(number.partition("%")[0]))
    return ip.version == network.version and ip in network


class _for_so_long:
    """Breaks a connection off when the time for all of it is over."""

    def __init__(self, wire: socket.socket) -> None:
        self._wire = wire
        self._timer = threading.Timer(PATIENCE, self._break_off)

    def _break_off(self) -> None:
        with suppress(OSError):
            self._wire.shutdown(socket.SHUT_RDWR)

    def __enter__(self) -> None:
        self._timer.daemon = True
        self._timer.start()

    def __exit__(self, *_error: object) -> None:
        self._timer.cancel()


def _request(target: Target, body: bytes, headers: Mapping[str, str]) -> bytes:
    name = f"[{target.host}]" if ":" in target.host else target.host
    port = "" if target.port == (443 if target.secure else 80) else f":{target.port}"
    told = {"Host": f"{name}{port}", "User-Agent": "Estafette", "Connection": "close", **headers}
    told["Content-Length"] = str(len(body))
    lines = [f"POST {target.path} HTTP/1.1", *(f"{key}: {value}" for key, value in told.items())]
    if any("\r" in line or "\n" in line for line in lines):
        raise Refused(_("An address has only plain letters, digits and signs, and no blanks."))
    return "\r\n".join([*lines, "", ""]).encode("ascii") + body


def _status(wire: socket.socket) -> int:
    """Of the answer that counts: those that begin with 1 only announce it."""
    read = b""
    while len(read) < _LONGEST_STATUS:
        for found in _STATUS.finditer(read):
            if not found[1].startswith(b"1"):
                return int(found[1])
        some = wire.recv(1024)
        if not some:
            break
        read += some
    raise Unreachable(_("what it answers is no HTTP"))


@lru_cache(maxsize=1)
def _context() -> ssl.SSLContext:
    return ssl.create_default_context()
