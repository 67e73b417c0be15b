"""Where the operator has set a key, every mail leaves signed, and a mail server can verify it."""

from __future__ import annotations

import subprocess
from datetime import datetime
from pathlib import Path

import dkim

from tests.emails.servers import Postbox, a_mail_server
from tests.server.builders import a_match, a_service, worker_of


def test_every_mail_is_signed_and_verifies(database_url: str, tmp_path: Path, now: datetime) -> None:
    key, asked = tmp_path / "dkim.pem", set()
    subprocess.run(["openssl", "genrsa", "-out", key, "2048"], check=True, capture_output=True)
    public = subprocess.run(["openssl", "rsa", "-in", key, "-pubout"], check=True, capture_output=True).stdout
    record = b"v=DKIM1; k=rsa; p=" + b"".join(public.splitlines()[1:-1])

    def dns(name: bytes, timeout: int = 5) -> bytes:
        asked.add(name)
        return record

    with a_mail_server(postbox := Postbox()) as port:
        service = a_service(
            database_url,
            tmp_path,
            ESTAFETTE_MAIL_URL=f"smtp+plain://127.0.0.1:{port}",
            ESTAFETTE_PUBLIC_URL="https://play.example",
            ESTAFETTE_MAIL_FROM="games@play.example",
            ESTAFETTE_DKIM_KEY_FILE=str(key),
            ESTAFETTE_DKIM_SELECTOR="s1",
        )
        a_match(service.matches, now)
        worker_of(service).tick(now)
        service.close()
    assert len(postbox.got) == 3
    assert all(dkim.verify(raw, dnsfunc=dns) for _, _, raw in postbox.got)
    assert asked == {b"s1._domainkey.play.example."}
