// The desk's board: rows become what they are now at once, and move where they belong without moving what the pointer is
// on; keys choose and open deliveries.
(function () {
  "use strict";
  // The server sends a heartbeat every 15 seconds: without any for so long the connection is dead and does not know it.
  var SILENCE = 40000;
  // A pointer that has not moved for so long points at nothing.
  var POINTING = 8000;
  var board = document.getElementById("board");
  if (!board) { return; }
  var waiting = document.getElementById("waiting");
  var apply = document.getElementById("apply");
  var pending = null;
  var pointedAt = 0;
  var isPointing = false;
  var aliveAt = Date.now();
  var stream = null;
  // As many pages are open as may be: no stream is opened before.
  var refusedUntil = 0;
  var shown = board.dataset.shown;
  // The HTML of rows that were sent since rows were arranged last: one that comes back to a lane is sent again.
  var html = {};
  // Missing where the reader may change nothing.
  var bulk = document.getElementById("bulk");

  function row(id) { return board.querySelector('[data-id="' + id + '"]'); }
  function rows() { return Array.prototype.slice.call(board.querySelectorAll("[data-id]")); }
  function pointing() { return isPointing && performance.now() - pointedAt < POINTING; }

  function made(text) {
    var holder = document.createElement("template");
    holder.innerHTML = text;
    return holder.content.firstElementChild;
  }

  // A row is replaced where it is; what was chosen stays so, and so does the focus.
  function renew(id, text) {
    var former = row(id);
    html[id] = text;
    if (!former) { return; }
    var next = made(text);
    var box = former.querySelector("input[type=checkbox]");
    var focused = former.contains(document.activeElement) ? document.activeElement : null;
    next.querySelector("input[type=checkbox]").checked = box.checked;
    if (former.classList.contains("current")) { next.classList.add("current"); }
    next.classList.add("renewed");
    former.replaceWith(next);
    if (!focused) { return; }
    var kind = focused.matches("input") ? "input" : focused.matches("button") ? "button.call" : "a";
    (next.querySelector(kind) || next.querySelector("a")).focus({ preventScroll: true });
  }

  // The form keeps a chosen row that leaves the board, until the row is back.
  function leave(element) {
    var box = element.querySelector("input[type=checkbox]");
    if (bulk && box.checked) {
      var input = document.createElement("input");
      input.type = "hidden";
      input.name = box.name;
      input.value = box.value;
      input.dataset.left = element.dataset.id;
      bulk.append(input);
    }
    element.remove();
  }

  function comeBack(id) {
    var element = made(html[id]);
    var input = bulk && bulk.querySelector('[data-left="' + id + '"]');
    if (input) {
      element.querySelector("input[type=checkbox]").checked = true;
      input.remove();
    }
    return element;
  }

  function countChosen() {
    if (!bulk) { return; }
    var left = bulk.querySelectorAll("[data-left]").length;
    var count = left + board.querySelectorAll(".row input[type=checkbox]:checked").length;
    window.doorstepConnection.write(document.getElementById("chosen-count"), count === 0 ? ""
      : count + " chosen" + (left > 0 ? ", " + left + " of them not shown" : ""));
    var forget = document.getElementById("forget-left");
    // A button that is hidden loses the focus.
    if (left === 0 && document.activeElement === forget) {
      bulk.querySelector("button.main").focus({ preventScroll: true });
    }
    forget.hidden = left === 0;
  }

  function number(id, count) {
    var element = document.getElementById("count-" + id);
    if (element) { element.textContent = String(count); }
  }

  // Puts every row where it belongs.
  function arrange(lanes) {
    var former = {};
    rows().forEach(function (element) { former[element.dataset.id] = element; });
    var focused = document.activeElement;
    var chosen = current();
    var behind = rows().slice(rows().indexOf(chosen) + 1);
    lanes.forEach(function (lane) {
      var section = document.getElementById("lane-" + lane.id);
      if (!section) { return; }
      var list = section.querySelector("[data-rows]");
      var next = lane.rows.map(function (id) {
        var element = former[id] || (html[id] && comeBack(id));
        delete former[id];
        return element;
      }).filter(Boolean);
      next.forEach(function (element, place) {
        if (list.children[place] !== element) { list.insertBefore(element, list.children[place] || null); }
      });
      section.querySelectorAll("[data-count]").forEach(function (element) {
        element.textContent = String(lane.count);
      });
      section.querySelector(".empty").hidden = next.length > 0;
      var all = section.querySelector(".all");
      if (all) { all.hidden = lane.count <= next.length; }
    });
    Object.keys(former).forEach(function (id) { leave(former[id]); });
    if (chosen && !board.contains(chosen)) {
      behindLeft = behind.map(function (element) { return element.dataset.id; });
    }
    countChosen();
    // Moving an element takes the focus from it.
    if (focused && focused !== document.activeElement && document.contains(focused)) {
      focused.focus({ preventScroll: true });
    }
    pending = null;
    html = {};
    waiting.hidden = true;
  }

  function isArranged(lanes) {
    return lanes.every(function (lane) {
      var section = document.getElementById("lane-" + lane.id);
      if (!section) { return true; }
      var ids = Array.prototype.map.call(section.querySelectorAll("[data-id]"), function (element) {
        return element.dataset.id;
      });
      return ids.join(" ") === lane.rows.join(" ");
    });
  }

  function settle() {
    if (!pending) { return; }
    if (isArranged(pending) || !pointing()) { return arrange(pending); }
    waiting.hidden = false;
    apply.textContent = "Deliveries have moved: show where";
  }

  // The same notices are left, as by `doorstepConnection.write`: they would be announced with each event.
  function writeMissing(texts) {
    var missing = document.getElementById("missing");
    if (missing.textContent === texts.join("")) { return; }
    missing.textContent = "";
    texts.forEach(function (text) {
      var notice = document.createElement("p");
      notice.className = "notice";
      notice.textContent = text;
      missing.append(notice);
    });
  }

  function take(event) {
    var data = JSON.parse(event.data);
    shown = event.lastEventId || shown;
    alive();
    Object.keys(data.rows).forEach(function (id) { renew(id, data.rows[id]); });
    Object.keys(data.counts).forEach(function (id) { number(id, data.counts[id]); });
    number("live", data.live);
    document.title = data.live + " live · Doorstep desk";
    document.getElementById("as-of").textContent = data.asOf;
    writeMissing(data.missing);
    pending = data.lanes;
    settle();
  }

  // MARK: Connection

  function alive() {
    aliveAt = Date.now();
    window.doorstepConnection.connected();
  }

  function follow() {
    if (stream) { stream.close(); }
    var address = board.dataset.events;
    stream = new EventSource(address + (address.indexOf("?") < 0 ? "?" : "&") + "shown=" + encodeURIComponent(shown));
    stream.onopen = function () {
      aliveAt = Date.now();
      window.doorstepConnection.opened();
    };
    stream.onerror = function () {
      window.doorstepConnection.lost();
      if (stream.readyState !== EventSource.CLOSED) { return; }
      window.doorstepConnection.explain(stream.url).then(function (seconds) {
        refusedUntil = performance.now() + 1000 * seconds;
      });
    };
    stream.addEventListener("board", take);
    stream.addEventListener("heartbeat", alive);
    // The session has ended.
    stream.addEventListener("over", function () {
      stream.close();
      location.reload();
    });
  }

  setInterval(function () {
    settle();
    if (performance.now() < refusedUntil) { return; }
    // By the clock, which goes on while the device sleeps; one that was set back counts as silence.
    if (Math.abs(Date.now() - aliveAt) < SILENCE && stream.readyState !== EventSource.CLOSED) { return; }
    window.doorstepConnection.lost();
    aliveAt = Date.now();
    follow();
  }, 3000);
  window.addEventListener("offline", function () { window.doorstepConnection.lost(); });
  window.addEventListener("online", follow);
  window.addEventListener("pageshow", function (event) { if (event.persisted) { follow(); } });

  // MARK: Pointer

  board.addEventListener("pointermove", function (event) {
    isPointing = Boolean(event.target.closest && event.target.closest(".row"));
    pointedAt = performance.now();
  });
  board.addEventListener("pointerleave", function () {
    isPointing = false;
    settle();
  });
  apply.addEventListener("click", function () { if (pending) { arrange(pending); } });

  // MARK: Keys

  function current() { return board.querySelector(".row.current"); }
  // The deliveries that stood behind the current row when it left the board, null where none has: no row is current
  // then, so that no key chooses another unseen. Their rows may move before the next key, so it is no place.
  var behindLeft = null;

  function select(element) {
    if (!element) { return; }
    behindLeft = null;
    var former = current();
    if (former) { former.classList.remove("current"); }
    element.classList.add("current");
    element.querySelector("a").focus({ preventScroll: true });
    element.scrollIntoView({ block: "nearest" });
  }

  // Where the current row that has left would stand: in front of the first that is left of those behind it.
  function placeLeft() {
    var next = behindLeft.map(row).filter(Boolean)[0];
    return next ? rows().indexOf(next) : rows().length;
  }

  function move(by) {
    var all = rows();
    var place = all.indexOf(current());
    var next = place >= 0 ? place + by : behindLeft === null ? 0 : by > 0 ? placeLeft() : placeLeft() - 1;
    select(all[Math.min(Math.max(next, 0), all.length - 1)]);
  }

  document.addEventListener("keydown", function (event) {
    if (event.ctrlKey || event.metaKey || event.altKey) { return; }
    var field = event.target.closest && event.target.closest("input:not([type=checkbox]), select, textarea");
    if (field) {
      if (event.key === "Escape") { field.blur(); }
      return;
    }
    var keys = document.querySelector(".keys");
    var chosen = current();
    switch (event.key) {
    case "j": move(1); break;
    case "k": move(-1); break;
    case "x": if (chosen) { chosen.querySelector("input").click(); } break;
    case "/": document.getElementById("search").focus(); break;
    case "?": keys.open = !keys.open; if (keys.open) { keys.scrollIntoView({ block: "nearest" }); } break;
    case "Enter":
      if (!chosen || event.target.closest("a, button, summary, input")) { return; }
      chosen.querySelector("a").click();
      break;
    default: return;
    }
    event.preventDefault();
  });

  // What was chosen on the map is chosen here.
  if ("chosen" in board.dataset) {
    board.querySelectorAll(".row input[type=checkbox]").forEach(function (box) { box.checked = true; });
  }
  board.addEventListener("change", countChosen);
  if (bulk) {
    document.getElementById("forget-left").addEventListener("click", function () {
      bulk.querySelectorAll("[data-left]").forEach(function (input) { input.remove(); });
      countChosen();
    });
  }
  countChosen();
  follow();
})();
