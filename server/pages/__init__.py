"""The web: every page, the programs' interface, and what watches over an instance."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import timedelta
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from flask import Flask, Request, Response, request
from flask.sessions import SecureCookieSession, SecureCookieSessionInterface, SessionMixin
from jinja2 import StrictUndefined
from werkzeug.middleware.proxy_fix import ProxyFix
from werkzeug.routing import BaseConverter

from server import watching
from server.devices import SIGNED_IN_FOR
from server.links import fingerprint
from server.pages import (
    account,
    admin,
    api,
    channels,
    errors,
    fair,
    game,
    home,
    languages,
    lobby,
    mailbox,
    ops,
    safety,
    showing,
    standby,
    together,
    turn,
)
from server.service import Service

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment

LARGEST_REQUEST = 128 * 1024
_HEADERS = [*showing.HEADERS.items()]
_LOOPBACK = ("localhost", "127.0.0.1")


class Site(Flask):
    """Flask, but what it writes into the log holds no token, and all its answers have our headers."""

    jinja_options = {  # noqa: RUF012 - Flask's own way to say it
        "autoescape": True,
        "undefined": StrictUndefined,
        "trim_blocks": True,
        "lstrip_blocks": True,
    }

    def wsgi_app(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        def start(status: str, headers: list[tuple[str, str]], *error: Any) -> Callable[[bytes], object]:
            there = {name.casefold() for name, _ in headers}
            return start_response(
                status, headers + [each for each in _HEADERS if each[0].casefold() not in there], *error
            )

        return super().wsgi_app(environ, start)

    def ensure_sync(self, func: Callable[..., Any]) -> Callable[..., Any]:
        """None of ours is a coroutine; Flask would look at each of them at each request."""
        return func

    def log_exception(self, exc_info: Any) -> None:
        values = request.view_args or {}
        about = fingerprint(values["token"]) if "token" in values else "-"
        self.logger.error("Exception on %s %s (link %s)", request.method, request.endpoint, about, exc_info=exc_info)


def make_app(service: Service) -> Flask:
    """The web application of a running instance."""
    site = Site(__name__, static_folder="static")
    site.config.from_mapping(_settings(service))
    site.session_interface = _Sessions()
    site.extensions["estafette"] = service
    site.url_map.converters["id"] = _Id
    for part in (home, turn, together, game, lobby, fair, account, safety, channels, api, ops, admin):
        site.register_blueprint(part.pages)
    if not service.settings.mail_leaves:
        site.register_blueprint(mailbox.pages)
    languages.register(site)
    ops.count_requests(site)
    errors.register(site)
    showing.register(site)
    standby.register(site, service)
    site.before_request(refuse_foreign_forms)
    watching.trace_requests(site)
    proxies = service.settings.trusted_proxies
    if proxies:
        site.wsgi_app = ProxyFix(site.wsgi_app, x_for=proxies, x_proto=proxies, x_host=proxies, x_port=0)  # type: ignore[method-assign]
    prefix = urlsplit(service.settings.public_url).path
    if prefix:
        site.wsgi_app = _Mounted(site.wsgi_app, prefix)  # type: ignore[assignment, method-assign]
    return site


class _Sessions(SecureCookieSessionInterface):
    """Flask's own, but who brings no cookie costs nothing: nobody signs in to make a move."""

    def open_session(self, app: Flask, request: Request) -> SecureCookieSession | None:
        if "HTTP_COOKIE" in request.environ:
            return super().open_session(app, request)
        return self.session_class()

    def save_session(self, app: Flask, session: SessionMixin, response: Response) -> None:
        if session.accessed or session.modified:
            super().save_session(app, session, response)


class _Id(BaseConverter):
    """A public id as `db.models.new_id` makes them; anything else is no address of ours."""

    regex = "[a-z0-9]{1,20}"


def _settings(service: Service) -> dict[str, Any]:
    settings = service.settings
    public = urlsplit(settings.public_url)
    return {
        "SECRET_KEY": settings.secret_keys[0],
        "SECRET_KEY_FALLBACKS": list(settings.secret_keys[1:]),
        "SESSION_COOKIE_NAME": "estafette",
        "SESSION_COOKIE_HTTPONLY": True,
        "SESSION_COOKIE_SAMESITE": "Lax",
        "SESSION_COOKIE_SECURE": public.scheme == "https",
        "SESSION_REFRESH_EACH_REQUEST": False,
        "PERMANENT_SESSION_LIFETIME": SIGNED_IN_FOR,
        "MAX_CONTENT_LENGTH": LARGEST_REQUEST,
        "MAX_FORM_MEMORY_SIZE": LARGEST_REQUEST,
        "TRUSTED_HOSTS": [str(public.hostname), *_LOOPBACK],
        "TEMPLATES_AUTO_RELOAD": False,
        "SEND_FILE_MAX_AGE_DEFAULT": timedelta(days=365),
    }


class _Mounted:
    """The site under a path of the public address, whether or not the proxy in front takes the path away."""

    def __init__(self, app: Any, prefix: str) -> None:
        self._app = app
        self._prefix = prefix

    def __call__(self, environ: dict[str, Any], start: Any) -> Any:
        path = environ.get("PATH_INFO", "")
        if path == self._prefix or path.startswith(self._prefix + "/"):
            environ["PATH_INFO"] = path[len(self._prefix) :] or "/"
        environ["SCRIPT_NAME"] = self._prefix
        return self._app(environ, start)


def refuse_foreign_forms() -> None:
    """Forms of other sites are refused; the browser says where a form stands. Mail programs and scripts say nothing."""
    if request.method != "POST" or request.endpoint == "account.unsubscribe":  # one-click: RFC 8058, from anywhere
        return
    headers = request.headers
    said = headers.get("Sec-Fetch-Site")
    if said is not None:
        foreign = said not in ("same-origin", "none")
    else:  # an old browser: with our referrer policy it may say "null" of our own forms too
        origin = headers.get("Origin", "null")
        foreign = origin != "null" and _host_of(origin) not in (
            request.host,
            _host_of(showing.service().settings.public_url),
        )
    if foreign:
        raise errors.ForeignForm


def _host_of(origin: str) -> str:
    """Host and port; empty for what is no address."""
    try:
        return urlsplit(origin).netloc
    except ValueError:
        return ""
