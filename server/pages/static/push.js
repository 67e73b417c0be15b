// Push: the form with data-push asks the browser for a subscription, puts it into the field “answer”, and is sent.
"use strict";
(() => {
  const form = document.querySelector("form[data-push]");
  if (!form || !("serviceWorker" in navigator) || !("PushManager" in window)) return;
  form.closest("[hidden]").removeAttribute("hidden");

  const key = Uint8Array.from(atob(form.dataset.push.replace(/-/g, "+").replace(/_/g, "/")), c => c.charCodeAt(0));

  form.addEventListener("submit", async event => {
    if (form.elements.answer.value) return;
    event.preventDefault();
    try {
      if (await Notification.requestPermission() !== "granted") throw new Error("not allowed");
      await navigator.serviceWorker.register(form.dataset.worker);
      const worker = await navigator.serviceWorker.ready;
      const had = await worker.pushManager.getSubscription();
      if (had) await had.unsubscribe();
      const got = await worker.pushManager.subscribe({userVisibleOnly: true, applicationServerKey: key});
      form.elements.answer.value = JSON.stringify(got);
      form.requestSubmit();
    } catch {
      form.querySelector("[role=alert]").hidden = false;
    }
  });
})();
