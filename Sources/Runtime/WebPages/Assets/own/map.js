// The desk's map: couriers, doors, stores and the ways that are left, on streets or a tile server's images or on nothing.
(function () {
  "use strict";
  var INTERVAL = 15000;
  var holder = document.getElementById("map");
  if (!holder || !window.L) { return; }
  var status = document.getElementById("map-status");
  var isDark = window.matchMedia("(prefers-color-scheme: dark)");
  var isStill = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
  var map = L.map(holder, {
    preferCanvas: true, zoomAnimation: !isStill, fadeAnimation: !isStill, markerZoomAnimation: !isStill
  }).setView([0, 0], 2);
  var markers = {};
  var ways = L.layerGroup().addTo(map);
  var streets = null;
  var hasFitted = false;
  var failedAt = null;
  map.attributionControl.setPrefix(false);
  L.control.scale({ imperial: false }).addTo(map);

  if (holder.dataset.tiles) {
    L.tileLayer(holder.dataset.tiles, { attribution: "", maxZoom: 19, referrerPolicy: "origin" }).addTo(map);
  }
  // As text: whoever wrote the attribution writes no markup into this page.
  if (holder.dataset.attribution) {
    var text = document.createElement("span");
    text.textContent = holder.dataset.attribution;
    map.attributionControl.addAttribution(text.innerHTML);
  }

  function streetStyle() { return { color: isDark.matches ? "#5a6270" : "#b9bdb4", weight: 1, interactive: false }; }

  fetch(holder.dataset.streets, { credentials: "same-origin" }).then(function (answer) {
    return answer.status === 200 ? answer.json() : null;
  }).then(function (lines) {
    if (!lines) { return; }
    streets = L.geoJSON(lines, { style: streetStyle, interactive: false }).addTo(map);
    streets.bringToBack();
  }).catch(function () { /* The map is drawn without. */ });
  isDark.addEventListener("change", function () { if (streets) { streets.setStyle(streetStyle()); } });

  function popup(title, text, href) {
    var element = document.createElement("div");
    var link = document.createElement("a");
    link.href = href;
    var name = document.createElement("bdi");
    name.textContent = title;
    link.append(name);
    var line = document.createElement("p");
    line.textContent = text;
    element.append(link, line);
    return element;
  }

  function place(key, at, kind, sign, label, title, text, href, seen) {
    seen[key] = true;
    var face = document.createElement("span");
    face.textContent = sign;
    var tag = document.createElement("span");
    tag.className = "tag";
    tag.textContent = label;
    face.append(tag);
    var icon = L.divIcon({ className: "mark " + kind, html: face, iconSize: [22, 22] });
    var marker = markers[key];
    if (!marker) {
      marker = markers[key] = L.marker(at, { icon: icon, keyboard: true, title: title + ", " + text, alt: title + ", " + text });
      marker.bindPopup(popup(title, text, href)).addTo(map);
    } else {
      marker.setLatLng(at);
      if (marker.doorstepKind !== kind + label) { marker.setIcon(icon); }
      marker.setPopupContent(popup(title, text, href));
    }
    marker.doorstepKind = kind + label;
    var element = marker.getElement();
    if (element) { element.setAttribute("aria-label", title + ", " + text); }
  }

  var SIGNS = { moving: "▲", standing: "■", idle: "○", silent: "?" };
  var RISKS = { late: "!", at_risk: "·", on_time: "" };

  function draw(places) {
    var seen = {};
    var doors = {};
    places.stores.forEach(function (store) {
      place("store " + store.id, [store.latitude, store.longitude], "store", "S", store.name, store.name, "store", "/?store=" + encodeURIComponent(store.id), seen);
    });
    places.doors.forEach(function (door) {
      doors[door.delivery] = [door.latitude, door.longitude];
      place("door " + door.delivery, doors[door.delivery], "door " + door.risk, "⌂" + (RISKS[door.risk] || ""), "", door.reference, door.text, door.href, seen);
    });
    ways.clearLayers();
    places.couriers.forEach(function (courier) {
      var at = [courier.latitude, courier.longitude];
      var label = courier.name + (courier.state === "silent" ? ", silent, " + courier.text : courier.state === "moving" ? "" : ", " + courier.state);
      place("courier " + courier.id, at, "courier " + courier.state, SIGNS[courier.state] || "•", label, courier.name, courier.state + ", " + courier.text, courier.href, seen);
      var way = courier.deliveries.map(function (id) { return doors[id]; }).filter(Boolean);
      if (way.length > 0) {
        L.polyline([at].concat(way), { weight: 3, opacity: 0.7, dashArray: "6 6", color: isDark.matches ? "#7ab5ff" : "#0b62c4", interactive: false }).addTo(ways);
      }
    });
    Object.keys(markers).forEach(function (key) {
      if (!seen[key]) {
        markers[key].remove();
        delete markers[key];
      }
    });
    if (!hasFitted) { showAll(); }
  }

  function showAll() {
    var all = Object.keys(markers).map(function (key) { return markers[key].getLatLng(); });
    if (all.length === 0) { return; }
    hasFitted = true;
    map.fitBounds(L.latLngBounds(all).pad(0.15), { maxZoom: 16, animate: !isStill });
  }

  function clock(time) {
    return new Intl.DateTimeFormat("en-GB", {
      hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23", timeZone: holder.dataset.timeZone
    }).format(time);
  }

  function read() {
    fetch(holder.dataset.places, { credentials: "same-origin" }).then(function (answer) {
      if (answer.redirected) { location.reload(); }
      if (!answer.ok) { throw new Error(String(answer.status)); }
      return answer.json();
    }).then(function (places) {
      failedAt = null;
      status.textContent = places.missing.join(" ");
      draw(places);
    }).catch(function () {
      failedAt = failedAt || new Date();
      status.textContent = "No connection to the desk since " + clock(failedAt) + ". This page shows the state of that time.";
    });
  }

  var all = document.getElementById("show-all");
  all.hidden = false;
  all.addEventListener("click", showAll);
  var stream = new EventSource(holder.dataset.events);
  var waits = null;
  stream.addEventListener("board", function () {
    // Positions change as often as deliveries; both are read together.
    waits = waits || setTimeout(function () { waits = null; read(); }, 2000);
  });
  stream.addEventListener("over", function () { stream.close(); location.reload(); });
  setInterval(read, INTERVAL);
  read();
})();
