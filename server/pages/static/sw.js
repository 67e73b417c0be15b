// Shows what is pushed, one notice a match, and opens its page. It keeps no page and answers no request.
"use strict";
self.addEventListener("push", event => {
  let news = {};
  try { news = event.data.json(); } catch { /* a push without words */ }
  event.waitUntil(self.registration.showNotification(news.title || "Estafette", {
    body: news.text || "", tag: news.tag || "estafette", renotify: true, data: news.url || self.registration.scope,
    icon: new URL("icon-192.png", self.registration.scope).href,
  }));
});

self.addEventListener("notificationclick", event => {
  event.notification.close();
  event.waitUntil(self.clients.openWindow(event.notification.data));
});
