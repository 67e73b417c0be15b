// Passkeys: each form with data-passkey asks the device, puts its answer into the field “answer”, and is sent.
"use strict";
(() => {
  if (!window.PublicKeyCredential) return;

  const bytes = text => Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), c => c.charCodeAt(0));
  const text = buffer => btoa(String.fromCharCode(...new Uint8Array(buffer)))
    .replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");

  const read = options => {
    options.challenge = bytes(options.challenge);
    if (options.user) options.user.id = bytes(options.user.id);
    for (const each of options.excludeCredentials || []) each.id = bytes(each.id);
    return options;
  };

  const written = found => {
    const told = {};
    for (const name of ["clientDataJSON", "attestationObject", "authenticatorData", "signature", "userHandle"])
      if (found.response[name]) told[name] = text(found.response[name]);
    return JSON.stringify({id: found.id, rawId: text(found.rawId), type: found.type, response: told});
  };

  for (const form of document.querySelectorAll("form[data-passkey]")) {
    form.closest("[hidden]")?.removeAttribute("hidden");
    form.addEventListener("submit", async event => {
      if (form.elements.answer.value) return;
      event.preventDefault();
      const ask = {publicKey: read(JSON.parse(form.dataset.options))};
      try {
        const found = await (form.dataset.passkey === "add"
          ? navigator.credentials.create(ask) : navigator.credentials.get(ask));
        form.elements.answer.value = written(found);
        form.requestSubmit();
      } catch {
        form.querySelector("[role=alert]").hidden = false;
      }
    });
  }
})();
