// What a courier's page does beside htmx: it keeps what is pressed, entered and taken until the server has it, reads itself
// again, and shares the position while the courier has something to deliver and wants it. All words come with the page.
(function () {
  "use strict";
  var page = document.getElementById("courier");
  if (!page) { return; }
  // Not by the address, which is another after a press that was answered with a page.
  var PRESSES = "doorstep-presses " + page.dataset.path;
  var PHONE = "doorstep-phone " + page.dataset.path;
  // Milliseconds.
  var UNDO = 10000;
  var RETRY = 5000;
  var READ = 15000;
  var READ_SOONEST = 2000;
  var ANSWER = 15000;
  var ANSWER_PICTURE = 60000;
  // As long as the server shows what has ended.
  var KEPT = 12 * 3600000;

  function live() { return document.getElementById("live"); }

  // Kept by the browser; in memory where it keeps nothing, or no more. The answer is whether the browser keeps it.
  var memory = {};
  function kept(name) {
    if (name in memory) { return memory[name]; }
    try { return localStorage.getItem(name); } catch (error) { return null; }
  }
  function keep(name, text) {
    try {
      localStorage.setItem(name, text);
      delete memory[name];
      return true;
    } catch (error) {
      memory[name] = text;
      return false;
    }
  }

  // What was pressed and undone and is not with the server yet, in order: {id, delivery, action, label, at}, with the
  // group of those that were pressed at once. For a press that was on its way, or there, when it was undone, there is
  // {id, delivery, undo: true, label, at} at the end. What proves a hand-over is {id, delivery, proof, text, label, at},
  // a picture without its text: that is in the browser's database by the id. A hand-over behind such a proof is `late`.
  function queue() {
    try { return JSON.parse(kept(PRESSES)) || []; } catch (error) { return []; }
  }
  function keepQueue(all) {
    keep(PRESSES, JSON.stringify(all));
    draw();
  }
  function remove(done) {
    keepQueue(queue().filter(function (one) { return one.id !== done.id || one.undo !== done.undo; }));
  }

  function newID() {
    var bytes = crypto.getRandomValues(new Uint8Array(16));
    // Version 4 of RFC 9562.
    bytes[6] = bytes[6] & 15 | 64;
    bytes[8] = bytes[8] & 63 | 128;
    var hex = Array.from(bytes, function (byte) { return (256 + byte).toString(16).slice(1); }).join("");
    return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
  }

  // The phone keeps what another link's page has not sent for a while alone: that link may never be opened again.
  function forgetFormer() {
    var names = [];
    try { names = Object.keys(localStorage); } catch (error) { /* The browser keeps nothing. */ }
    names.forEach(function (name) {
      if (!name.startsWith("doorstep-presses ") || name === PRESSES) { return; }
      try {
        var times = (JSON.parse(localStorage.getItem(name)) || []).map(function (press) { return press.at; });
        if (Math.max.apply(null, times) < Date.now() - KEPT) { localStorage.removeItem(name); }
      } catch (error) {
        // What cannot be read stays.
      }
    });
  }

  // A proof that may have arrived is not taken back, and neither is an undo.
  function hasUndo(press) { return !press.undo && (!press.proof || !press.tried); }

  function unsentText(press) {
    if (press.late) { return page.dataset.unconfirmed; }
    return (press.undo ? page.dataset.unsentUndo : page.dataset.unsent).replace("{what}", press.label);
  }

  // What is drawn already is left: each attempt to send draws, which would move the focus and be announced.
  function drawUnsent(place, presses) {
    var drawn = JSON.stringify(presses.map(function (press) {
      return [press.id, press.label, Boolean(press.late), hasUndo(press)];
    }));
    if (place.dataset.drawn === drawn) { return; }
    place.dataset.drawn = drawn;
    var focusedHere = place.contains(document.activeElement) ? document.activeElement.id : "";
    place.textContent = "";
    presses.forEach(function (press) {
      var text = document.createElement("p");
      text.textContent = unsentText(press);
      place.append(text);
      if (!hasUndo(press)) { return; }
      var undo = document.createElement("button");
      undo.type = "button";
      undo.id = "forget-" + press.id;
      undo.textContent = page.dataset.undo;
      undo.dataset.forget = press.id;
      place.append(undo);
    });
    place.hidden = presses.length === 0;
    focus(focusedHere);
    if (focusedHere && !document.getElementById(focusedHere)) { focusStop(place.dataset.unsentOf); }
  }

  function focus(id) {
    var element = id && document.getElementById(id);
    if (element && document.activeElement !== element) { element.focus({ preventScroll: true }); }
  }

  // The stop's address, or the line of what has ended, which keep the focus by their ids.
  function focusStop(delivery) {
    focus("where-" + delivery);
    focus("ended-" + delivery);
  }

  // Draws beside each stop what of it is not sent yet.
  function draw() {
    var all = queue();
    document.querySelectorAll("[data-unsent-of]").forEach(function (place) {
      drawUnsent(place, all.filter(function (press) { return press.delivery === place.dataset.unsentOf; }));
    });
    // What is being taken back is not offered again: the next reading says what became of it.
    document.querySelectorAll("#live [data-undoes]").forEach(function (form) {
      var ids = form.dataset.undoes.split(" ");
      var undone = all.find(function (one) { return one.undo && ids.includes(one.id); });
      if (!undone) { return; }
      // Its button would lose the focus.
      if (form.contains(document.activeElement)) { focusStop(undone.delivery); }
      form.hidden = true;
    });
    document.querySelectorAll("[data-scripted]").forEach(function (part) { part.hidden = false; });
    document.querySelectorAll("[data-scan]").forEach(function (part) {
      part.hidden = !window.doorstepPictures.canReadBarcodes;
    });
    // The hand-over goes on without a network once all that is missing is here.
    document.querySelectorAll("[data-after]").forEach(function (button) {
      var here = all.filter(function (one) { return one.delivery === button.dataset.of && !one.undo; });
      button.value = button.dataset.action;
      var isHandedOver = here.some(function (one) { return one.action === button.value; });
      button.hidden = isHandedOver || !button.dataset.after.split(" ").every(function (kind) {
        return here.some(function (one) { return one.proof === kind || one.action === kind + "_passed"; })
          || accepted.some(function (one) { return one.delivery === button.dataset.of && one.kind === kind; });
      });
    });
  }

  // Proofs that the server has, and this page does not show as given yet.
  var accepted = [];
  function isProof(one) { return Boolean(one.proof) || one.action === "age_passed"; }

  function say(text) {
    var notice = document.getElementById("refused");
    notice.textContent = text;
    notice.hidden = text === "";
  }

  // One of each lane at most: a large picture on a slow connection delays no press of another delivery, and no undo.
  var onTheirWay = [];
  function lane(one) { return one.undo ? "undo" : one.proof && !one.text ? "picture" : "press"; }
  var retry = null;
  // Deliveries whose next press was not answered as it should be: others need not wait for them.
  var later = new Set();

  function sendLater() {
    clearTimeout(retry);
    retry = setTimeout(function () {
      later.clear();
      send();
    }, RETRY);
  }

  function post(path, fields) {
    return fetch(page.dataset.path + path, {
      method: "POST", headers: { Accept: "application/json" }, body: new URLSearchParams(fields),
      signal: window.doorstepConnection.within(ANSWER)
    });
  }

  // A picture that the browser has no more is answered with nothing.
  function postProof(one) {
    if (one.text) {
      var fields = { press: one.id, delivery: one.delivery };
      fields[one.proof] = one.text;
      return post("/proofs", fields);
    }
    return window.doorstepPictures.read(one.id).then(function (picture) {
      if (!picture) { return null; }
      return fetch(page.dataset.path + "/proofs/" + one.delivery + "/" + one.proof, {
        method: "POST", headers: { Accept: "application/json" }, body: picture,
        signal: window.doorstepConnection.within(ANSWER_PICTURE)
      });
    });
  }

  // Whether an answer is the server's own, and not that of something between: that one knows nothing of the press.
  function isFinal(answer) {
    var type = answer.headers.get("Content-Type") || "";
    if (answer.ok) { return answer.status === 204 || type.startsWith("application/json"); }
    // Too many wrong PINs of this courier are not forgotten soon.
    var isLocked = answer.status === 429 && Number(answer.headers.get("Retry-After")) > 60;
    var isRefused = isLocked || [400, 403, 404, 409, 410, 413, 422].includes(answer.status);
    return isRefused && type.startsWith("application/problem+json");
  }

  // One delivery's presses one after the other: what follows depends on what came before. An undo waits for the answer to
  // its own press alone.
  function nextToSend() {
    var before = new Set();
    return queue().find(function (one) {
      var waits = later.has(one.delivery) || !one.undo && before.has(one.delivery);
      before.add(one.delivery);
      return !waits && !onTheirWay.some(function (other) { return other.id === one.id || lane(other) === lane(one); });
    });
  }

  function send() {
    var next = nextToSend();
    if (!next) { return; }
    onTheirWay.push(next);
    function arrived() { onTheirWay = onTheirWay.filter(function (one) { return one !== next; }); }
    // From here on it may have arrived, whatever becomes of the answer.
    keepQueue(queue().map(function (one) {
      return one.id === next.id && !one.undo ? Object.assign({}, one, { tried: true }) : one;
    }));
    var held = Math.max(0, Math.min(Date.now() - next.at, UNDO)) / 1000;
    var fields = { press: next.id, delivery: next.delivery, action: next.action, held: held.toFixed(1) };
    if (next.group) { fields.group = next.group; }
    if (next.late) { fields.late = "true"; }
    // A fault in here ends this attempt alone.
    Promise.resolve().then(function () {
      if (next.undo) { return post("/presses/" + next.id + "/undo", {}); }
      return next.proof ? postProof(next) : post("/presses", fields);
    }).then(function (answer) {
      arrived();
      if (!answer) {
        remove(next);
        window.doorstepPictures.forget(next.id);
        say(page.dataset.pictureFailed);
      } else if (isFinal(answer)) {
        remove(next);
        if (next.proof) { window.doorstepPictures.forget(next.id); }
        if (answer.ok && isProof(next)) { accepted.push({ delivery: next.delivery, kind: next.proof || "age" }); }
        window.doorstepConnection.connected();
        // One that never arrived has nothing to undo.
        if (!answer.ok && !(next.undo && answer.status === 404)) {
          // Pressed again, it is no slip.
          if (lastPresses[next.delivery] && lastPresses[next.delivery].id === next.id) {
            delete lastPresses[next.delivery];
          }
          var reason = next.undo ? page.dataset.counted : next.proof ? page.dataset.proofRefused : page.dataset.refused;
          say(reason.replace("{what}", next.label));
        }
        read();
      } else {
        later.add(next.delivery);
        sendLater();
      }
      send();
    }, function () {
      arrived();
      sendLater();
      window.doorstepConnection.lost();
      // A large picture on a slow connection delays no other delivery's presses.
      if (lane(next) === "picture") {
        later.add(next.delivery);
        send();
      }
    });
    send();
  }

  // The same button again is a slip of the thumb, and none after the phone's clock was set back.
  function isSlip(delivery, action) {
    var last = lastPresses[delivery];
    return Boolean(last && last.action === action && Math.abs(Date.now() - last.at) < UNDO);
  }
  var lastPresses = {};

  // Safari before 15.4 does not say which button submits a form: it is the one that was clicked last, by a key too.
  var pressed = null;
  document.addEventListener("click", function (event) {
    pressed = event.target.closest && event.target.closest("#live button:not([type=button])");
  }, true);

  document.addEventListener("submit", function (event) {
    var form = event.target;
    var button = event.submitter || (pressed && pressed.form === form ? pressed : null);
    if (!button || !form.dataset.delivery) { return; }
    event.preventDefault();
    // One, or all that a button is about.
    var deliveries = form.dataset.delivery.split(" ");
    if (form.dataset.undoes) {
      say("");
      form.dataset.undoes.split(" ").forEach(function (id, place) {
        undo({ id: id, delivery: deliveries[place], label: form.dataset.label });
      });
      return;
    }
    var group = deliveries.length > 1 ? newID() : null;
    var presses = deliveries.filter(function (delivery) {
      return !isSlip(delivery, button.value);
    }).map(function (delivery) {
      var press = {
        id: newID(), delivery: delivery, action: button.value,
        label: button.dataset.label || button.textContent.trim(), at: Date.now()
      };
      if (group) { press.group = group; }
      // What proves it is still on its way: the server has to know that the goods are not.
      if (button.dataset.after || isBehindProof(press)) { press.late = true; }
      lastPresses[delivery] = press;
      return press;
    });
    if (presses.length === 0) { return; }
    // What was refused before is named until something is sent.
    say("");
    document.querySelectorAll("#live details[open]").forEach(function (reasons) { reasons.open = false; });
    keepQueue(queue().concat(presses));
    send();
  });

  function isBehindProof(press) {
    return press.action === "handed_over" && queue().some(function (one) {
      return one.delivery === press.delivery && isProof(one) && !one.undo;
    });
  }

  // What was entered, or taken, of which the server is told in the order of the presses.
  function addProof(kind, part, text, picture) {
    say("");
    var proof = { id: newID(), delivery: part.dataset.of, proof: kind, label: part.dataset.label, at: Date.now() };
    if (text) { proof.text = text; }
    var kept = picture ? window.doorstepPictures.keep(proof.id, picture) : Promise.resolve();
    return kept.then(function () {
      keepQueue(queue().concat(proof));
      send();
    });
  }
  document.addEventListener("submit", function (event) {
    var form = event.target;
    var kind = form.dataset.proof;
    if (!kind) { return; }
    event.preventDefault();
    var input = form.querySelector("input[name=" + kind + "]");
    var text = input.value.trim();
    input.value = "";
    if (text) { addProof(kind, form, text, null); }
  });
  document.addEventListener("change", function (event) {
    var input = event.target;
    var kind = input.dataset && input.dataset.picture;
    var file = kind && input.files && input.files[0];
    if (!file) { return; }
    say("");
    if (kind === "barcode") {
      window.doorstepPictures.barcode(file).then(function (text) {
        if (!text) { return say(page.dataset.noBarcode); }
        document.getElementById(input.dataset.into).value = text;
      }, function () { say(page.dataset.noBarcode); });
    } else {
      window.doorstepPictures.ofFile(file).then(function (picture) {
        return addProof(kind, input, null, picture);
      }).catch(function () { say(page.dataset.pictureFailed); });
    }
    // The same photo may be chosen again.
    input.value = "";
  });
  document.addEventListener("click", function (event) {
    var button = event.target;
    var canvas = button.dataset && button.dataset.takes && document.getElementById(button.dataset.takes);
    if (!canvas || !canvas.dataset.signed) { return; }
    window.doorstepPictures.ofDrawing(canvas).then(function (picture) {
      canvas.closest("details").open = false;
      // Another person may have to sign where this one is refused.
      window.doorstepPictures.clear(canvas);
      return addProof("signature", button, null, picture);
    }).catch(function () { say(page.dataset.pictureFailed); });
  });
  document.addEventListener("click", function (event) {
    var id = event.target.dataset && event.target.dataset.forget;
    var press = id && queue().find(function (one) { return one.id === id && !one.undo; });
    if (press) { undo(press); }
  });

  // One that has not left is forgotten; of one that may have arrived the server is told.
  function undo(press) {
    var others = queue().filter(function (one) { return one.id !== press.id; });
    var here = queue().find(function (one) { return one.id === press.id && !one.undo; });
    var taken = { id: press.id, delivery: press.delivery, undo: true, label: press.label, at: Date.now() };
    delete lastPresses[press.delivery];
    if (press.proof) {
      window.doorstepPictures.forget(press.id);
      return keepQueue(others);
    }
    keepQueue(here && !here.tried ? others : others.concat(taken));
    send();
  }

  // Reading again

  var nextRead = null;
  var isReading = false;
  var readsAgain = false;

  function read() {
    if (document.visibilityState !== "visible") { return; }
    if (isReading) {
      readsAgain = true;
      return;
    }
    htmx.trigger(live(), "read");
  }

  // What can be undone now cannot be a moment later, which the page says then; it counts from when the server wrote it,
  // which is earlier where an answer has brought no other page. Where the server is away, or late with the press, it is
  // read no more often than usual.
  var writtenAt = Date.now();
  function readLater() {
    var left = parseFloat(live().dataset.changesIn) * 1000 + 500 - (Date.now() - writtenAt);
    clearTimeout(nextRead);
    nextRead = setTimeout(read, left > -READ ? Math.min(READ, Math.max(READ_SOONEST, left)) : READ);
  }

  // A stop that was corrected is announced once, and the phone vibrates where it can: its courier may be on the way.
  function corrections() { return Array.from(document.querySelectorAll("#live [data-correction]")); }
  function correctionIDs() { return corrections().map(function (one) { return one.dataset.correction; }); }
  var knownCorrections = correctionIDs();

  function newCorrection() {
    var fresh = corrections().filter(function (one) { return knownCorrections.indexOf(one.dataset.correction) < 0; });
    knownCorrections = correctionIDs();
    if (fresh.length === 0) { return null; }
    // A browser refuses it, and reports an error, before the first press on a page.
    if (navigator.vibrate && navigator.userActivation && navigator.userActivation.hasBeenActive) {
      navigator.vibrate([200, 100, 200]);
    }
    return fresh[0];
  }

  document.body.addEventListener("htmx:beforeRequest", function () { isReading = true; });
  // What is open stays open, and where it is: nothing is taken away under the thumb of who chooses a reason.
  var opened = [], focused = "";
  document.body.addEventListener("htmx:beforeSwap", function (event) {
    // The line of a signature would end; the next reading has what this one had.
    if (document.querySelector("#live [data-drawing=now]")) { event.detail.shouldSwap = false; }
    focused = document.activeElement ? document.activeElement.id : "";
    opened = Array.from(document.querySelectorAll("#live details[open]")).map(function (panel) {
      return { id: panel.id, top: panel.getBoundingClientRect().top };
    });
  });
  document.body.addEventListener("htmx:afterSwap", function () {
    writtenAt = Date.now();
    opened = opened.filter(function (one) { return document.getElementById(one.id); });
    opened.forEach(function (one) { document.getElementById(one.id).open = true; });
    var news = newCorrection() || document.querySelector("#live [data-undoes] p");
    var announcement = document.getElementById("announcement");
    var text = news ? news.textContent : "";
    window.doorstepConnection.write(announcement, text);
    accepted = [];
    draw();
    // What is in a closed panel, or not drawn yet, cannot have the focus, so it was lost until now.
    focus(focused);
    if (opened.length > 0) {
      scrollBy(0, document.getElementById(opened[0].id).getBoundingClientRect().top - opened[0].top);
    }
  });
  document.body.addEventListener("htmx:afterRequest", function (event) {
    if (event.detail.successful) { window.doorstepConnection.connected(); }
    // Behind the swap: what is read then is another element.
    setTimeout(function () {
      isReading = false;
      readLater();
      if (readsAgain) {
        readsAgain = false;
        read();
      }
    }, 100);
  });
  document.body.addEventListener("htmx:sendError", window.doorstepConnection.lost);
  document.body.addEventListener("htmx:timeout", window.doorstepConnection.lost);
  document.body.addEventListener("htmx:responseError", function (event) {
    if (window.doorstepConnection.isGone(event.detail.xhr)) {
      location.assign(page.dataset.path);
    } else {
      window.doorstepConnection.lost();
    }
  });
  document.addEventListener("visibilitychange", function () {
    read();
    send();
  });
  window.addEventListener("online", function () {
    later.clear();
    read();
    send();
  });
  window.addEventListener("offline", window.doorstepConnection.lost);
  window.addEventListener("storage", draw);
  window.addEventListener("pageshow", function (event) { if (event.persisted) { read(); } });
  draw();
  send();
  readLater();
  forgetFormer();
  window.doorstepPictures.forgetUnnamed(queue());

  // Position

  var sharing = document.getElementById("sharing");
  if (!sharing || !navigator.geolocation) { return; }
  var FIXES_MAX = 500;
  var SEND = 15000;
  var POSITION = 30000;
  var button = document.getElementById("share");
  var state = document.getElementById("sharing-state");
  var fixes = [];
  var watch = null;
  var lock = null;
  var isSendingFixes = false;

  // The phone's credential is behind the #, which no server is sent.
  function givenToken() {
    var given = /^#t=([A-Za-z0-9_-]+)$/.exec(location.hash);
    return given && given[1];
  }
  // It stays in the address where the browser keeps nothing: a page that is loaded again has it from there.
  function keepGiven() {
    if (keep(PHONE, givenToken())) { history.replaceState(null, "", page.dataset.path); }
  }
  if (givenToken()) { keepGiven(); }
  // A link that is opened here once more changes that part alone, for which a browser loads nothing.
  window.addEventListener("hashchange", function () {
    if (!givenToken()) { return; }
    var isAnother = givenToken() !== token;
    keepGiven();
    if (isAnother) { location.reload(); }
  });
  var token = kept(PHONE);
  sharing.hidden = false;
  if (!token) {
    button.hidden = true;
    state.textContent = sharing.dataset.missing;
    return;
  }

  function isOnDuty() { return live().dataset.duty === "true"; }

  function show(text) {
    window.doorstepConnection.write(button, watch === null ? sharing.dataset.start : sharing.dataset.stop);
    window.doorstepConnection.write(state, text);
  }

  function stop(text) {
    if (watch !== null) { navigator.geolocation.clearWatch(watch); }
    if (lock) { lock.release(); }
    watch = null;
    lock = null;
    show(text);
  }

  function start() {
    if (!isOnDuty()) { return show(sharing.dataset.idle); }
    watch = navigator.geolocation.watchPosition(function (position) {
      var place = position.coords;
      var fix = {
        time: new Date(position.timestamp).toISOString(), latitude: place.latitude, longitude: place.longitude,
        accuracy: place.accuracy
      };
      if (place.speed !== null && place.speed >= 0) { fix.speed = place.speed; }
      if (place.heading !== null && !isNaN(place.heading)) { fix.heading = place.heading; }
      fixes = fixes.concat(fix).slice(-FIXES_MAX);
      if (fixes.length === 1) { sendFixes(); }
    }, function (error) {
      // A tunnel ends; a refusal does not by itself.
      if (error.code === error.PERMISSION_DENIED) { stop(sharing.dataset.denied); } else { show(sharing.dataset.unknown); }
    }, { enableHighAccuracy: true, maximumAge: 5000, timeout: POSITION });
    stayAwake();
    // Until the first position has arrived.
    show(sharing.dataset.off);
  }

  // A page that sleeps shares nothing; the browser lets go of the screen whenever another page is in front.
  function stayAwake() {
    if (watch === null || !navigator.wakeLock || document.visibilityState !== "visible") { return; }
    navigator.wakeLock.request("screen").then(function (held) {
      if (watch === null) { held.release(); } else { lock = held; }
    }, function () {});
  }

  // What became of positions that arrived, as the name of its text: the server counts those that it ignores.
  function outcome(answer) {
    var reasons = Object.keys(answer.ignored).filter(function (reason) { return reason !== "duplicate"; });
    if (answer.accepted > 0 || reasons.length === 0) { return "shared"; }
    return reasons.includes("future") ? "clock" : "ignored";
  }

  function sendFixes() {
    if (isSendingFixes || fixes.length === 0) { return; }
    isSendingFixes = true;
    var sent = fixes.slice(0, 100);
    fetch(sharing.dataset.fixes, {
      method: "POST",
      headers: { "Content-Type": "application/json", Authorization: "Bearer " + token },
      body: JSON.stringify({ fixes: sent }), signal: window.doorstepConnection.within(ANSWER)
    }).then(function (answer) {
      return answer.ok ? answer.json().then(outcome) : answer.status === 401 ? "revoked" : "unsent";
    }).then(function (name) {
      isSendingFixes = false;
      if (name === "revoked") {
        fixes = [];
        return stop(sharing.dataset.revoked);
      }
      if (name !== "unsent") { fixes = fixes.filter(function (fix) { return !sent.includes(fix); }); }
      if (watch !== null) { show(sharing.dataset[name]); }
      // After a gap the newest of them is the last, so the rest follows without a pause.
      if (name !== "unsent") { sendFixes(); }
    }, function () {
      isSendingFixes = false;
      if (watch !== null) { show(sharing.dataset.unsent); }
    });
  }

  button.addEventListener("click", function () { if (watch === null) { start(); } else { stop(sharing.dataset.off); } });
  setInterval(function () {
    if (watch !== null && !isOnDuty()) { stop(sharing.dataset.idle); }
    sendFixes();
  }, SEND);
  document.addEventListener("visibilitychange", stayAwake);
  show(sharing.dataset.off);
})();
