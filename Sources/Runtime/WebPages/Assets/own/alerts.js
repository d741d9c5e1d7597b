// Has the browser be notified of the delivery's alerts while its page is closed, where the browser can.
(function () {
  "use strict";
  if (!("serviceWorker" in navigator) || !("PushManager" in window) || !("Notification" in window)) { return; }
  // A browser waits for no more than this, in milliseconds.
  var PATIENCE = 20000;

  // Whoever has not given the order's number yet is offered to give it for this too.
  function offerProof() {
    var title = document.getElementById("proof-title");
    if (!title) { return; }
    title.textContent = title.dataset.withAlerts;
    document.getElementById("proof").hidden = false;
  }
  // Before the browser draws a part that is hidden otherwise, which would lose the focus.
  document.body.addEventListener("htmx:afterSwap", offerProof);
  offerProof();

  var section = document.getElementById("alerts");
  if (!section) { return; }
  var texts = section.dataset;
  var button = document.getElementById("alerts-button");
  // The browser has one subscription for all deliveries: which of them it is for, each remembers.
  var memory = "alerts " + texts.delivery;
  var isOn = false;
  // The number of attempts to turn them on or off: an attempt that took too long may end after the next one began.
  var attempts = 0;

  function isRemembered() {
    try { return localStorage.getItem(memory) === "on"; } catch (error) { return false; }
  }

  // The button always says what a press does. The end of an attempt behind which there is another one changes nothing.
  function remember(on, attempt) {
    if (attempt !== attempts) { return; }
    var isNew = on !== isOn;
    isOn = on;
    if (isNew) { draw(); }
    try {
      if (on) { localStorage.setItem(memory, "on"); } else { localStorage.removeItem(memory); }
    } catch (error) {
      // It is offered again next time, and then it is the same subscription.
    }
  }

  function draw(text) {
    button.textContent = isOn ? texts.off : texts.on;
    document.getElementById("alerts-state").textContent = text || (isOn ? texts.isOn : "");
  }

  function inTime(promise) {
    return Promise.race([promise, new Promise(function (resolve, reject) {
      setTimeout(function () { reject(new Error("it took too long")); }, PATIENCE);
    })]);
  }

  function send(body) {
    return fetch(texts.path, {
      method: "PUT", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body)
    }).then(function (response) {
      if (response.ok) { return undefined; }
      return response.json().then(function (problem) {
        var kind = String(problem.type).split("/").pop();
        // The page itself says what is to be done, or that it is over.
        if (kind === "order-not-proven" || kind === "delivery-ended" || response.status === 410) {
          // Without the number it stays as it is, so the page offers the same once the number is given.
          if (kind !== "order-not-proven") { remember(false, attempts); }
          location.assign(texts.page);
        }
        throw new Error(kind);
      });
    });
  }

  function sendSubscription(subscription) {
    var json = subscription.toJSON();
    return send({ endpoint: json.endpoint, keys: { p256dh: json.keys.p256dh, auth: json.keys.auth } });
  }

  function worker() {
    return navigator.serviceWorker.register(texts.worker, { scope: "/l/" }).then(function () {
      return navigator.serviceWorker.ready;
    });
  }

  function keyOf(subscription) {
    var key = subscription.options && subscription.options.applicationServerKey;
    if (!key) { return texts.key; }
    var text = String.fromCharCode.apply(null, new Uint8Array(key));
    return btoa(text).replace(/\+/g, "-").replace(/\//g, "_").replace(/=/g, "");
  }

  function subscribe() {
    var options = { userVisibleOnly: true, applicationServerKey: texts.key };
    var attempt = attempts;
    return worker().then(function (registration) {
      return registration.pushManager.getSubscription().then(function (former) {
        // One that was made with a former key is in the way of another.
        return former && keyOf(former) !== texts.key ? former.unsubscribe() : true;
      }).then(function () { return registration.pushManager.subscribe(options); });
    }).then(sendSubscription).then(function () { remember(true, attempt); });
  }

  function turnOn() {
    return Notification.requestPermission().then(function (permission) {
      if (permission === "granted") { return inTime(subscribe()); }
      return permission === "denied" ? texts.blocked : "";
    });
  }

  function turnOff() {
    var attempt = attempts;
    return inTime(worker().then(function (registration) {
      return registration.pushManager.getSubscription();
    }).then(function (subscription) {
      return subscription ? send({ endpoint: subscription.endpoint }) : undefined;
    }).then(function () { remember(false, attempt); }));
  }

  // What was on may be no more: the browser or its push service may have dropped it, or the key be another.
  function check() {
    var attempt = attempts;
    return inTime(worker().then(function (registration) {
      return registration.pushManager.getSubscription();
    }).then(function (subscription) {
      if (!subscription || keyOf(subscription) !== texts.key) { return remember(false, attempt); }
      return sendSubscription(subscription);
    })).catch(function () {
      // Without a connection it is as it was.
    });
  }

  button.addEventListener("click", function () {
    button.disabled = true;
    attempts += 1;
    (isOn ? turnOff() : turnOn()).catch(function () { return texts.failed; }).then(function (text) {
      button.disabled = false;
      draw(text);
    });
  });
  isOn = isRemembered() && Notification.permission === "granted";
  draw(Notification.permission === "denied" ? texts.blocked : "");
  section.hidden = false;
  if (isOn) { check(); }
})();
