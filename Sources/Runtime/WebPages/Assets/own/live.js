// Beside htmx a page notices a connection that is dead, follows what it shows in the tab, keeps what is open and has
// the focus, sends a form once, and reads again after sleep.
(function () {
  "use strict";
  // The server sends a heartbeat every 15 seconds: without any for so long the connection is dead and does not know it.
  var SILENCE = 40000;
  // How long a page goes without a stream when another one of its network took its place at the server.
  var PAUSE = 30000;
  // How long a form that was sent is not sent again from the same page, unless the browser returns to the page.
  var RESEND = 5000;
  var heardAt = Date.now();
  // What is new could not be read: by the stream, which goes on and says when it can, or by the page itself.
  var isUnavailable = false;
  var isUnread = false;
  var isReplaced = false;

  // It is another element after each time that it was read again.
  function live() { return document.getElementById("live"); }
  function isOver() { return live().dataset.over === "true"; }
  function lost() { if (!isOver()) { window.doorstepConnection.lost(); } }
  function unread() {
    isUnread = true;
    lost();
  }

  function connected() {
    heardAt = Date.now();
    if (!isUnavailable && !isUnread) { window.doorstepConnection.connected(); }
  }

  function unavailable() {
    heardAt = Date.now();
    isUnavailable = true;
    lost();
  }

  // The stream has all that is new.
  function available() {
    isUnavailable = false;
    isUnread = false;
    connected();
  }

  // The connection is not lost. One that came back at once would take the place of the next page, and so on.
  function replaced(event) {
    event.target.close();
    isReplaced = true;
    connected();
  }

  // The tab says what the card says. Who listens hears the headline, and that the promise is late or moved, once each
  // time that these change, and not what counts on, such as the items that are picked.
  function follow() {
    var card = live().querySelector("[data-title]");
    var icon = document.querySelector("link[rel=icon]");
    var announcement = document.getElementById("announcement");
    if (!card) { return; }
    document.title = card.dataset.title;
    if (icon.getAttribute("href") !== card.dataset.icon) { icon.setAttribute("href", card.dataset.icon); }
    window.doorstepConnection.write(announcement, card.dataset.announcement);
  }

  // A phone that slept has a connection that is dead and does not know it: what is read brings a new one.
  function readAgain() {
    if (document.visibilityState === "visible" && !isOver()) { htmx.trigger(live(), "read"); }
  }

  // The page's own address has the reason, or leads to sign in. A reload would send a form again.
  function leave() {
    var path = live().getAttribute("hx-get");
    live().dataset.over = "true";
    location.assign(path);
  }

  // A form that is pressed twice is sent once: each order number that is sent counts as a try. Its button stays
  // enabled, since a disabled one loses the focus. It is known by what it sends, since an update may replace it
  // meanwhile; other forms and buttons of the same address send other fields. Safari before 15.4 names no button.
  var sent = "", sentAt = 0;
  function once(event) {
    var form = event.target, action = form.getAttribute("action"), button = event.submitter;
    // A script sends the form, the form changes nothing, or each of its buttons has an address of its own.
    if (event.defaultPrevented || form.getAttribute("method") !== "post" || !action) { return; }
    var fields = new URLSearchParams(new FormData(form));
    var sending = action + " " + fields + " " + (button ? button.name + "=" + button.value : "");
    if (sending === sent && Math.abs(Date.now() - sentAt) < RESEND) {
      event.preventDefault();
      return;
    }
    sent = sending;
    sentAt = Date.now();
  }

  // A panel that is open, and the element with the focus, by their ids: an update replaces both.
  var opened = [], focused = "";
  function remember() {
    focused = document.activeElement ? document.activeElement.id : "";
    opened = Array.from(live().querySelectorAll("details[open]")).map(function (panel) { return panel.id; });
  }
  function restore() {
    opened.forEach(function (id) {
      var panel = document.getElementById(id);
      if (panel) { panel.open = true; }
    });
    // An element in a closed panel cannot have the focus.
    var element = focused && document.getElementById(focused);
    if (element && document.activeElement !== element) { element.focus({ preventScroll: true }); }
    // It was answered, in another window too. It does not come back where what was answered is changed back: a second
    // press would be a repeat, which changes nothing.
    var question = document.getElementById("press");
    if (question && document.querySelector("#outcome > *")) { question.hidden = true; }
  }

  if (!live()) { return; }
  document.body.addEventListener("htmx:sseBeforeMessage", remember);
  document.body.addEventListener("htmx:beforeSwap", remember);
  document.body.addEventListener("htmx:afterSwap", restore);
  document.body.addEventListener("htmx:sseOpen", function (event) {
    event.detail.source.addEventListener("heartbeat", connected);
    event.detail.source.addEventListener("unavailable", unavailable);
    event.detail.source.addEventListener("available", available);
    event.detail.source.addEventListener("replaced", replaced);
    isReplaced = false;
    isUnavailable = false;
    isUnread = false;
    heardAt = Date.now();
    window.doorstepConnection.opened();
  });
  document.body.addEventListener("htmx:sseMessage", connected);
  // Once for each refusal: htmx opens a closed stream again.
  document.body.addEventListener("htmx:sseError", function (event) {
    lost();
    var source = event.detail.source;
    if (source && source.readyState === EventSource.CLOSED) { window.doorstepConnection.explain(source.url); }
  });
  document.body.addEventListener("htmx:sendError", lost);
  document.body.addEventListener("htmx:timeout", unread);
  document.body.addEventListener("htmx:responseError", function (event) {
    if (window.doorstepConnection.isGone(event.detail.xhr)) { leave(); } else { unread(); }
  });
  document.body.addEventListener("htmx:afterRequest", function (event) {
    if (!event.detail.successful) { return; }
    isUnread = false;
    window.doorstepConnection.read();
    // A stream says itself when it is there again.
    if (!live().hasAttribute("sse-connect")) { connected(); }
  });
  setInterval(function () {
    if (isUnread) { readAgain(); }
    // By the clock, which goes on while the device sleeps; one that was set back counts as silence.
    if (isOver() || Math.abs(Date.now() - heardAt) < (isReplaced ? PAUSE : SILENCE)) { return; }
    if (!isReplaced) { lost(); }
    heardAt = Date.now();
    readAgain();
  }, 5000);
  document.body.addEventListener("htmx:afterSettle", follow);
  document.body.addEventListener("htmx:sseClose", function (event) {
    if (event.detail.type === "message") { leave(); }
  });
  document.addEventListener("visibilitychange", readAgain);
  window.addEventListener("online", readAgain);
  window.addEventListener("offline", lost);
  document.addEventListener("submit", once);
  window.addEventListener("pageshow", function (event) {
    if (!event.persisted) { return; }
    sentAt = 0;
    readAgain();
  });
})();
