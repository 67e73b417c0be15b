"""Messages by way of Apprise, to the services that the operator names; an extra: `pip install 'estafette[apprise]'`.

Apprise connects by itself, without our guard: what it may call is for the operator to say, service by service.
"""

from __future__ import annotations

import importlib.util
import logging
from datetime import datetime
from typing import Any

from db.models import Channel
from emails.language import gettext as _
from server import channels, outgoing
from server.calls import News, Told
from server.config import Settings
from server.service import Service


def services(settings: Settings) -> tuple[str, ...]:
    """What players may add, like "ntfys"; nothing where Apprise is not installed."""
    return settings.apprise if importlib.util.find_spec("apprise") else ()


def add(service: Service, player_id: str, address: str, *, name: str) -> Channel:
    """A new channel, which is tried at once. Raises ValueError with a sentence that says nothing of the address."""
    wanted, kind = address.strip(), address.strip().partition("://")[0].casefold()
    allowed = services(service.settings)
    if kind not in allowed:
        raise ValueError(_("Here an address begins with one of these: %(names)s.", names=", ".join(allowed)))
    if len(wanted) > outgoing.LONGEST_URL or not wanted.isprintable() or _apprise(wanted) is None:
        raise ValueError(_("Apprise cannot read this address. Look at how it describes this service."))
    return channels.add(service, player_id, "apprise", wanted, secret="", name=name or kind)


def tell(service: Service, news: News, now: datetime) -> Told:
    """Only to a service that is allowed still."""
    kind = news.channel.address.partition("://")[0].casefold()
    way = _apprise(news.channel.address) if kind in services(service.settings) else None
    if way is None:
        return Told(False, _("this way is not open here any more"))
    if way.notify(title=news.title, body=f"{news.text}\n{news.url}"):
        return Told(True, _("it was taken"))
    return Told(False, _("it was not taken"))


def _apprise(address: str) -> Any:
    """None if it cannot be read. Its own log would show addresses, which are secrets."""
    import apprise

    logging.getLogger("apprise").setLevel(logging.CRITICAL + 1)
    way = apprise.Apprise(asset=apprise.AppriseAsset(async_mode=False, app_id="Estafette"))
    return way if way.add(address) else None
