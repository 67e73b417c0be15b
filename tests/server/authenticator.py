"""A device that keeps passkeys, in software: what a browser and its key would answer to our options."""

from __future__ import annotations

import base64
import hashlib
import json
import secrets
from dataclasses import dataclass, field
from typing import Any

import cbor2
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec

PRESENT, VERIFIED, ATTESTED = 0x01, 0x04, 0x40


def b64(octets: bytes) -> str:
    return base64.urlsafe_b64encode(octets).rstrip(b"=").decode()


@dataclass
class Authenticator:
    """One passkey; `origin` is the page that the browser believes to be on."""

    origin: str
    host: str
    verified: bool = True
    uses: int = 0
    user: str = ""
    id: bytes = field(default_factory=lambda: secrets.token_bytes(32))
    key: ec.EllipticCurvePrivateKey = field(default_factory=lambda: ec.generate_private_key(ec.SECP256R1()))

    def made(self, options: str) -> str:
        """The answer to being asked for a new passkey."""
        told = json.loads(options)
        self.user = told["user"]["id"]
        numbers = self.key.public_key().public_numbers()
        public = {1: 2, 3: -7, -1: 1, -2: numbers.x.to_bytes(32, "big"), -3: numbers.y.to_bytes(32, "big")}
        attested = bytes(16) + len(self.id).to_bytes(2, "big") + self.id + cbor2.dumps(public)
        attestation = {"fmt": "none", "attStmt": {}, "authData": self._data(ATTESTED) + attested}
        return self._answer(
            clientDataJSON=self._client("webauthn.create", told["challenge"]),
            attestationObject=cbor2.dumps(attestation),
        )

    def used(self, options: str) -> str:
        """The answer to being asked who is there."""
        self.uses += 1
        client, data = self._client("webauthn.get", json.loads(options)["challenge"]), self._data()
        signature = self.key.sign(data + hashlib.sha256(client).digest(), ec.ECDSA(hashes.SHA256()))
        return self._answer(clientDataJSON=client, authenticatorData=data, signature=signature)

    def _client(self, kind: str, challenge: str) -> bytes:
        return json.dumps({"type": kind, "challenge": challenge, "origin": self.origin}).encode()

    def _data(self, more: int = 0) -> bytes:
        flags = PRESENT | (VERIFIED if self.verified else 0) | more
        return hashlib.sha256(self.host.encode()).digest() + bytes([flags]) + self.uses.to_bytes(4, "big")

    def _answer(self, **response: bytes) -> str:
        told: dict[str, Any] = {name: b64(octets) for name, octets in response.items()}
        return json.dumps({"id": b64(self.id), "rawId": b64(self.id), "type": "public-key", "response": told})
