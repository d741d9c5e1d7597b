// A customer's map: the courier, the door and a line between them, beside the text that has the same in words.
//
// The page has the places in its text, which its event stream replaces. The drawing is loaded with the first place, and
// is the same element however often the page around it is read again.
(function () {
  "use strict";
  // Pixels around the courier and the door.
  var PADDING = 36;
  // Zooms in no further: the place is rounded to about a hundred metres.
  var ZOOM_MAX = 16;
  var isStill = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
  // How long the files of the same names are not loaded again after one of them failed, in milliseconds.
  var PAUSE = 30000;
  var loading = null;
  var drawing = null;
  // By a file's name: a script runs once.
  var isLoaded = {};
  // By the names of all files.
  var failedAt = {};

  function load(kind, file) {
    if (isLoaded[file]) { return Promise.resolve(); }
    return new Promise(function (loaded, failed) {
      var names = file.split(" ");
      var part = document.createElement(kind);
      if (kind === "link") { part.rel = "stylesheet"; }
      part[kind === "link" ? "href" : "src"] = names[0];
      part.integrity = names[1];
      part.onload = function () {
        isLoaded[file] = true;
        loaded();
      };
      part.onerror = function () {
        part.remove();
        failed(new Error(names[0]));
      };
      document.head.append(part);
    });
  }

  function key(names) { return names.style + ", " + names.scripts; }
  function hasJustFailed(names) { return Math.abs(Date.now() - (failedAt[key(names)] || 0)) < PAUSE; }

  // One after the other: the second uses the first.
  function loadAll(names) {
    var style = load("link", names.style);
    return names.scripts.split(", ").reduce(function (before, file) {
      return before.then(function () { return load("script", file); });
    }, style).catch(function (error) {
      // A service has the files of its own version only: a page that is read again has their present names.
      failedAt[key(names)] = Date.now();
      loading = null;
      if (document.getElementById("map-place")) { htmx.trigger("#live", "read"); }
      throw error;
    });
  }

  function mark(kind, sign) {
    var face = document.createElement("span");
    face.textContent = sign;
    var icon = L.divIcon({ className: "map-mark " + kind, html: face, iconSize: [26, 26] });
    return L.marker([0, 0], { icon: icon, interactive: false, keyboard: false });
  }

  function make(holder) {
    var element = document.createElement("div");
    element.className = "map-drawing";
    holder.append(element);
    // It has nothing to press: a finger that scrolls the page passes over it.
    var map = L.map(element, {
      zoomControl: false, dragging: false, touchZoom: false, scrollWheelZoom: false, doubleClickZoom: false,
      boxZoom: false, keyboard: false, zoomSnap: 0.25, maxZoom: ZOOM_MAX, zoomAnimation: !isStill,
      fadeAnimation: !isStill, markerZoomAnimation: !isStill
    }).setView([0, 0], 2);
    map.attributionControl.setPrefix(false);
    window.doorstepImages(map, holder);
    return {
      element: element, map: map, line: L.polyline([], { className: "map-line", interactive: false }).addTo(map),
      door: mark("door", "⌂").addTo(map), courier: mark("courier", "▲").addTo(map)
    };
  }

  function place(text) { return text.split(" ").map(Number); }

  function draw(holder, names) {
    if (!drawing) { drawing = make(holder); }
    if (drawing.element.parentNode !== holder) { holder.append(drawing.element); }
    var both = [place(names.courier), place(names.door)];
    drawing.map.invalidateSize({ animate: false });
    drawing.courier.setLatLng(both[0]);
    drawing.door.setLatLng(both[1]);
    drawing.line.setLatLngs(both);
    drawing.map.fitBounds(both, { padding: [PADDING, PADDING], maxZoom: ZOOM_MAX, animate: false });
  }

  function update() {
    var part = document.getElementById("map");
    var holder = document.getElementById("map-drawing");
    var text = document.getElementById("map-place");
    if (!part || !holder) { return; }
    part.hidden = !text;
    holder.hidden = !text || !text.dataset.courier || !loading && hasJustFailed(holder.dataset);
    if (holder.hidden) { return; }
    loading = loading || loadAll(holder.dataset);
    loading.then(function () {
      // It may have gone meanwhile.
      var now = document.getElementById("map-place");
      var there = document.getElementById("map-drawing");
      if (now && now.dataset.courier && there) { draw(there, now.dataset); }
    }).catch(function () {
      // The text has the same; a later place tries again.
      holder.hidden = true;
    });
  }

  document.body.addEventListener("htmx:afterSettle", update);
  // The link shows nothing any more.
  document.body.addEventListener("htmx:sseClose", function (event) {
    var text = document.getElementById("map-text");
    if (event.detail.type !== "message" || !text) { return; }
    text.textContent = "";
    update();
  });
  update();
})();
