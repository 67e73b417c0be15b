"""Estafette's server: rules, matches, pages, worker and commands."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from flask import Flask

    from server.service import Service


def create_app(service: Service) -> Flask:
    """The web application of a running instance; everything is put together here."""
    from server.pages import make_app

    return make_app(service)
