"""nginx with our own file in front: what players do works, and what a request claims about itself changes nothing."""

from __future__ import annotations

import http.client
import os
import re
import shutil
import socket
import ssl
import subprocess
import time
import urllib.parse
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from server import create_app
from server.links import JoinLink
from server.service import Service
from server.web import Web, bound
from tests.emails.servers import an_authority, free_port
from tests.server.builders import a_match, a_service, address_of, link_of, mails, text_of, worker_of

NGINX = shutil.which("nginx") or ("/usr/sbin/nginx" if os.access("/usr/sbin/nginx", os.X_OK) else None)
DEPLOY = Path(__file__).parent.parent.parent / "deploy"
HOST = "games.example.org"

pytestmark = pytest.mark.skipif(NGINX is None, reason="nginx is not installed")


class _Through(http.client.HTTPConnection):
    """To this machine, under the name that the certificate is for."""

    def __init__(self, name: str, port: int, trusted: ssl.SSLContext) -> None:
        super().__init__("127.0.0.1", port, timeout=20)
        self._name, self._trusted = name, trusted

    def connect(self) -> None:
        super().connect()
        self.sock = self._trusted.wrap_socket(self.sock, server_hostname=self._name)


@dataclass
class Proxied:
    """An instance behind nginx."""

    service: Service
    port: int
    trusted: ssl.SSLContext

    def ask(
        self, method: str, path: str, fields: dict[str, str] | None = None, **headers: str
    ) -> tuple[http.client.HTTPResponse, str]:
        connection = _Through(HOST, self.port, self.trusted)
        body = urllib.parse.urlencode(fields) if fields is not None else None
        told = {"Host": HOST} | {name.replace("_", "-"): value for name, value in headers.items()}
        if body is not None:
            told["Content-Type"] = "application/x-www-form-urlencoded"
        connection.request(method, path, body, told)
        answer = connection.getresponse()
        said = answer.read().decode("utf-8", "replace")
        connection.close()
        return answer, said


def configured(folder: Path, port: int, http_port: int, backend: int, certificate: Path) -> Path:
    """Our file with the ports and paths of this test, and no limit that would slow it down."""
    text = (DEPLOY / "nginx.conf").read_text()
    text = text.replace("127.0.0.1:8025", f"127.0.0.1:{backend}")
    text = re.sub(r"\n\s*listen \[::\]:\d+[^;]*;", "", text)
    text = re.sub(r"listen 80\b", f"listen 127.0.0.1:{http_port}", text)
    text = re.sub(r"listen 443\b", f"listen 127.0.0.1:{port}", text)
    text = re.sub(r"ssl_certificate [^;]+;", f"ssl_certificate {certificate};", text)
    text = re.sub(r"ssl_certificate_key [^;]+;", f"ssl_certificate_key {certificate.with_suffix('.key')};", text)
    whole = folder / "nginx.conf"
    (folder / "site.conf").write_text(text)
    whole.write_text(
        f"daemon off; pid {folder}/nginx.pid; error_log {folder}/error.log;\n"
        f"{'user root;' if os.getuid() == 0 else ''}\n"
        "events {}\n"
        f"http {{ client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/f;"
        f" uwsgi_temp_path {folder}/u; scgi_temp_path {folder}/s; include {folder}/site.conf; }}\n"
    )
    return whole


@pytest.fixture
def proxied(database_url: str, tmp_path: Path) -> Iterator[Proxied]:
    assert NGINX
    authority = an_authority(tmp_path)
    authority.server(f"DNS:{HOST}")
    certificate = (tmp_path / f"DNS-{HOST}").with_suffix(".pem")
    service = a_service(
        database_url,
        tmp_path,
        ESTAFETTE_PUBLIC_URL=f"https://{HOST}",
        ESTAFETTE_TRUSTED_PROXIES="1",
    )
    listening = bound("127.0.0.1", 0)
    web = Web(create_app(service), listening)
    web.start()
    port, http_port = free_port(), free_port()
    config = configured(tmp_path, port, http_port, listening.getsockname()[1], certificate)
    tested = subprocess.run([NGINX, "-t", "-p", str(tmp_path), "-c", str(config)], capture_output=True, text=True)
    assert tested.returncode == 0, tested.stderr
    process = subprocess.Popen([NGINX, "-p", str(tmp_path), "-c", str(config)], stderr=subprocess.DEVNULL)
    found = Proxied(service, port, authority.trusted())
    for _ in range(100):
        try:
            found.ask("GET", "/healthz")
            break
        except OSError:
            time.sleep(0.05)
    yield found
    process.terminate()
    process.wait(10)
    web.stop()
    service.close()


def test_a_move_is_played_through_the_proxy(proxied: Proxied) -> None:
    service = proxied.service
    match_id = a_match(service.matches, service.now())
    view = service.matches.view(match_id, 1)
    assert view.decision is not None
    url = service.links.move_url(link_of(service.matches, match_id))
    assert url.startswith(f"https://{HOST}/m/")
    path = urllib.parse.urlsplit(url).path
    answer, page = proxied.ask("GET", path)
    assert answer.status == 200
    assert answer.headers["Strict-Transport-Security"]
    mark = re.search(r'name="once" value="([^"]+)"', page)
    assert mark
    fields = {"move": view.decision.choices[0].text, "confirm": "1", "once": mark[1]}
    answer, _ = proxied.ask("POST", path, fields, Origin=f"https://{HOST}", Sec_Fetch_Site="same-origin")
    assert answer.status == 303
    assert "http://" not in answer.headers["Location"]
    assert service.matches.view(match_id, None).version == 1


@pytest.mark.parametrize(
    "lie",
    [
        {"Host": "evil.example"},
        {"X_Forwarded_Host": "evil.example"},
        {"X_Forwarded_Proto": "http", "X_Forwarded_Host": "evil.example:1"},
        {"Forwarded": "host=evil.example;proto=http"},
        {"X_Forwarded_Prefix": "/evil.example"},
        {"X_Original_URL": "https://evil.example/"},
    ],
    ids=lambda lie: "+".join(lie),
)
def test_case_B19_what_a_request_says_about_its_host_comes_into_no_mail_and_no_page(
    proxied: Proxied, lie: dict[str, str]
) -> None:
    service = proxied.service
    a_match(service.matches, service.now())
    for path, fields in (("/", None), ("/login", None), ("/login", {"email": "ann@players.example"})):
        try:
            answer, page = proxied.ask("GET" if fields is None else "POST", path, fields, **lie)
        except (OSError, http.client.HTTPException):
            continue  # nginx hangs up on a name that is not ours
        assert "evil.example" not in page
        assert "evil.example" not in str(answer.headers)
    worker_of(service).tick()
    for mail in mails(service):
        assert b"evil.example" not in mail.as_bytes()
        assert f"https://{HOST}/" in text_of(mail)


def raw(proxied: Proxied, *lines: str, body: str = "") -> str:
    """What comes back for a request that no library would send."""
    with (
        socket.create_connection(("127.0.0.1", proxied.port), timeout=20) as plain,
        proxied.trusted.wrap_socket(plain, server_hostname=HOST) as talk,
    ):
        talk.sendall(("\r\n".join(lines) + f"\r\n\r\n{body}").encode())
        said = b""
        while chunk := talk.recv(65536):
            said += chunk
    return said.decode("utf-8", "replace")


@pytest.mark.parametrize(
    "lines",
    [
        ("GET http://evil.example/login HTTP/1.1", f"Host: {HOST}", "Connection: close"),
        ("GET /login HTTP/1.1", f"Host: {HOST}", "Host: evil.example", "Connection: close"),
        ("GET /login HTTP/1.1", "Host: evil.example", f"X-Forwarded-Host: {HOST}", "Connection: close"),
        ("GET /login HTTP/1.0", "Connection: close"),
        ("GET /login HTTP/1.1", f"Host: {HOST}:1@evil.example", "Connection: close"),
        ("GET //evil.example/%2e%2e HTTP/1.1", f"Host: {HOST}", "Connection: close"),
        ("GET /\\evil.example HTTP/1.1", f"Host: {HOST}", "Connection: close"),
    ],
    ids=("absolute line", "two hosts", "host", "no host", "host with a user", "two slashes", "backslash"),
)
def test_case_B19_odd_requests_lead_to_no_foreign_host(proxied: Proxied, lines: tuple[str, ...]) -> None:
    head, _, page = raw(proxied, *lines).partition("\r\n\r\n")
    assert not re.search(r"(?im)^location:.*evil", head), head
    assert "evil.example" not in page


def test_a_request_hidden_in_another_is_not_answered(proxied: Proxied) -> None:
    hidden = f"GET /metrics HTTP/1.1\r\nHost: {HOST}\r\n\r\n"
    lengths = (f"Content-Length: {len(hidden) + 5}", "Transfer-Encoding: chunked")
    said = raw(
        proxied, "POST /login HTTP/1.1", f"Host: {HOST}", *lengths, "Connection: close", body=f"0\r\n\r\n{hidden}"
    )
    assert "estafette_matches" not in said


@pytest.mark.parametrize(
    "path",
    ["/metrics", "/metrics?x", "//metrics", "/./metrics", "/x/../metrics", "/%6detrics", "/metrics/", "/readyz;x"],
)
def test_no_spelling_of_the_path_leads_to_what_watches_over_the_instance(proxied: Proxied, path: str) -> None:
    said = raw(proxied, f"GET {path} HTTP/1.1", f"Host: {HOST}", "Connection: close")
    assert "estafette_matches" not in said
    assert "worker:" not in said
    assert "\r\nready" not in said


def test_case_B19_every_request_that_brings_a_mail_links_to_the_public_address(proxied: Proxied) -> None:
    service = proxied.service
    match_id = a_match(service.matches, service.now())
    invited = a_match(service.matches, service.now(), people=("Cat", "Dan"), start=False)
    lies = {"X_Forwarded_Host": "evil.example", "Forwarded": "host=evil.example", "X_Forwarded_Proto": "http"}
    path = urllib.parse.urlsplit(service.links.move_url(link_of(service.matches, match_id))).path
    _, page = proxied.ask("GET", path, **lies)
    mark = re.search(r'name="once" value="([^"]+)"', page)
    assert mark
    move = {"move": "take 1L", "confirm": "1", "once": mark[1]}
    join = urllib.parse.urlsplit(service.links.join_url(JoinLink(invited, 1, 1))).path
    for address, fields in (
        (f"{path}/fresh", {}),
        (path, move),
        (join, {"name": "Cat"}),
        ("/login", {"email": "ann@players.example"}),
    ):
        answer, page = proxied.ask("POST", address, fields, **lies)
        assert answer.status in (200, 303), address
        assert "evil.example" not in page + str(answer.headers)
    sign_in_as(proxied, "Ben")
    session = sign_in_as(proxied, "Ann")
    answer, page = proxied.ask("POST", "/me/address", {"email": "new@players.example"}, Cookie=session, **lies)
    assert answer.status in (200, 303)
    worker_of(service).tick()
    got = mails(service)
    assert {str(mail["X-Estafette-Kind"]) for mail in got} >= {"turn", "login", "invitation", "address"}
    for mail in got:
        assert b"evil.example" not in mail.as_bytes()
        assert b"http://" not in re.sub(rb"http://www\.w3\.org\S*", b"", mail.as_bytes())


def sign_in_as(proxied: Proxied, name: str) -> str:
    """The cookie of a fresh session."""
    service = proxied.service
    proxied.ask("POST", "/login", {"email": address_of(name)})
    worker_of(service).tick()
    address = next(
        url for url in re.findall(r"https://\S+", text_of(mails(service, name, "login")[-1])) if "/login/" in url
    )
    answer, _ = proxied.ask("POST", urllib.parse.urlsplit(address).path, {})
    told = answer.headers["Set-Cookie"]
    assert {"Secure", "HttpOnly", "SameSite=Lax"} <= set(told.split("; "))
    return str(told.partition(";")[0])


def test_forms_of_other_sites_do_nothing_in_a_session(proxied: Proxied) -> None:
    service = proxied.service
    a_match(service.matches, service.now())
    session = sign_in_as(proxied, "Ann")
    wish = {"name": "Owned", "language": "en", "zone": ""}
    for told in (
        {"Origin": "https://evil.example"},
        {"Origin": f"https://{HOST}.evil.example"},
        {"Origin": f"http://evil.example?{HOST}"},
        {"Sec_Fetch_Site": "cross-site"},
        {"Sec_Fetch_Site": "same-site", "Origin": f"https://{HOST}"},
    ):
        answer, _ = proxied.ask("POST", "/me", wish, Cookie=session, **told)
        assert answer.status == 403, told
    assert "Owned" not in proxied.ask("GET", "/me", Cookie=session)[1]
    assert proxied.ask("POST", "/me", wish, Cookie=session, Origin=f"https://{HOST}")[0].status == 303


def test_a_session_that_was_changed_or_ended_is_none(proxied: Proxied) -> None:
    service = proxied.service
    a_match(service.matches, service.now())
    session = sign_in_as(proxied, "Ann")
    assert "My matches" in proxied.ask("GET", "/games", Cookie=session)[1]
    changed = session[:-2] + ("AA" if not session.endswith("AA") else "BB")
    for wrong in (changed, session.partition("=")[0] + "=eyJkZXZpY2UiOiJhIn0.aaaa.bbbb"):
        assert "My matches" not in proxied.ask("GET", "/games", Cookie=wrong)[1]
    proxied.ask("POST", "/logout", {}, Cookie=session)
    assert "My matches" not in proxied.ask("GET", "/games", Cookie=session)[1], "a copy of the cookie is worth nothing"


def test_who_asks_is_who_nginx_says_not_who_they_say(proxied: Proxied) -> None:
    answers = []
    for number in range(60):
        address = {"email": f"p{number}@players.example"}
        answers.append(proxied.ask("POST", "/login", address, X_Forwarded_For=f"10.0.0.{number}")[0].status)
    assert 429 in answers, "made-up addresses do not get round a limit"


def test_what_watches_over_the_instance_is_not_for_the_world(proxied: Proxied) -> None:
    assert [proxied.ask("GET", path)[0].status for path in ("/metrics", "/readyz", "/healthz")] == [404, 404, 200]


def test_what_is_too_large_is_refused_at_the_door(proxied: Proxied) -> None:
    answer, _ = proxied.ask("POST", "/login", {"email": "x" * 400_000})
    assert answer.status == 413
