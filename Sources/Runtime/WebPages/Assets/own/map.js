// The desk's map: couriers, doors, stores and the ways that are left, on streets, on images or on nothing.
//
// Doors that are close to one another are one group; couriers are never in a group, above doors, and beside a group that
// they would cover.
(function () {
  "use strict";
  var INTERVAL = 15000;
  // Images go no further, and groups need a limit.
  var ZOOM_MAX = 19;
  // Pixels within which doors are a group: a mark's width, and some for its label and for a zoom between two whole ones.
  var GROUP_RADIUS = 40;
  // Zooms between two whole ones, so that what is shown fills the map.
  var ZOOM_SNAP = 0.25;
  // Pixels around what is shown: half of a group, and some.
  var PADDING = 30;
  // Above every door, whose place on the page raises it by a pixel each.
  var ABOVE_DOORS = 100000;
  var holder = document.getElementById("map");
  if (!holder || !window.L) { return; }
  var status = document.getElementById("map-status");
  var isDark = window.matchMedia("(prefers-color-scheme: dark)");
  var isStill = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
  var map = L.map(holder, {
    preferCanvas: true, zoomAnimation: !isStill, fadeAnimation: !isStill, markerZoomAnimation: !isStill,
    minZoom: 0, maxZoom: ZOOM_MAX, zoomSnap: ZOOM_SNAP, boxZoom: false
  }).setView([0, 0], 2);
  var markers = {};
  var doorGroups = L.markerClusterGroup({
    maxClusterRadius: GROUP_RADIUS, showCoverageOnHover: false, animate: false, iconCreateFunction: groupIcon
  }).addTo(map);
  var ways = L.layerGroup().addTo(map);
  var streets = null;
  var hasFitted = false;
  // When the map was last drawn from an answer.
  var drawnAt = new Date();
  var choosing = null;
  var groupsLook = "";
  var placeLabels = window.doorstepLabels(map);
  choosing = window.doorstepChoosing(map, holder, doorGroups, dressAll);
  map.attributionControl.setPrefix(false);
  L.control.scale({ imperial: false }).addTo(map);
  map.on("moveend zoomend layeradd layerremove", placeLabels);

  window.doorstepImages(map, holder);

  function streetStyle() { return { color: isDark.matches ? "#5a6270" : "#b9bdb4", weight: 1, interactive: false }; }

  fetch(holder.dataset.streets, { credentials: "same-origin" }).then(function (answer) {
    return answer.status === 200 ? answer.json() : null;
  }).then(function (lines) {
    if (!lines) { return; }
    streets = L.geoJSON(lines, { style: streetStyle, interactive: false }).addTo(map);
    streets.bringToBack();
  }).catch(function () { /* The map is drawn without. */ });
  isDark.addEventListener("change", function () { if (streets) { streets.setStyle(streetStyle()); } });

  // MARK: Marks

  function element(name, text, className) {
    var made = document.createElement(name);
    made.textContent = text;
    if (className) { made.className = className; }
    return made;
  }

  // Made when it is opened: a door may have been chosen since.
  function popup(marker) {
    var content = document.createElement("div");
    var link = document.createElement("a");
    link.href = marker.doorstepLink;
    link.append(element("bdi", marker.doorstepTitle));
    content.append(link, element("p", marker.doorstepText));
    if (marker.doorstepDoor && choosing.mayChoose) {
      var button = element("button", choosing.isChosen(marker.doorstepDoor) ? "Choose it no more" : "Choose it");
      button.type = "button";
      button.addEventListener("click", function () {
        choosing.toggle([marker.doorstepDoor]);
        marker.closePopup();
      });
      content.append(button);
    }
    return content;
  }

  function groupIcon(group) {
    var all = group.getAllChildMarkers();
    function count(risk) { return all.filter(function (marker) { return marker.doorstepRisk === risk; }).length; }
    var chosen = all.filter(function (marker) { return choosing.isChosen(marker.doorstepDoor); }).length;
    var words = [" doors"];
    if (count("late")) { words.push(count("late") + " late"); }
    if (count("at_risk")) { words.push(count("at_risk") + " at risk"); }
    if (chosen) { words.push(chosen + " chosen"); }
    var face = element("span", String(all.length));
    face.append(element("span", words.join(", "), "unseen"));
    return L.divIcon({
      className: "mark door group " + (count("late") ? "late" : count("at_risk") ? "at_risk" : "")
        + (chosen ? " chosen" : ""), html: face, iconSize: [34, 34]
    });
  }

  // What an icon does not keep: its name, and whether it is chosen.
  function dress(marker) {
    var icon = marker.getElement();
    if (!icon) { return; }
    var isChosen = Boolean(marker.doorstepDoor) && choosing.isChosen(marker.doorstepDoor);
    var name = marker.doorstepTitle + ", " + marker.doorstepText + (isChosen ? ", chosen" : "");
    icon.title = name;
    icon.setAttribute("aria-label", name);
    icon.classList.toggle("chosen", isChosen);
  }

  function dressAll() {
    if (!choosing) { return; }
    Object.keys(markers).forEach(function (key) { dress(markers[key]); });
    // A group that is drawn anew loses the focus, so it is only where it looks different.
    var look = doorGroups.getLayers().map(function (marker) {
      return [marker.doorstepDoor, marker.doorstepRisk, choosing.isChosen(marker.doorstepDoor)].join(" ");
    }).sort().join("\n");
    if (look !== groupsLook) { doorGroups.refreshClusters(); }
    groupsLook = look;
    placeLabels();
  }

  // mark: key, at, kind, sign, label, title, text, link; rank of its label; of a door its delivery and risk.
  function place(mark, seen) {
    seen[mark.key] = true;
    var marker = markers[mark.key];
    var look = [mark.kind, mark.sign, mark.label].join(" ");
    var isNew = !marker;
    if (isNew) {
      marker = markers[mark.key] = L.marker(mark.at, {
        keyboard: true, riseOnHover: true, zIndexOffset: mark.key.indexOf("courier ") === 0 ? ABOVE_DOORS : 0
      });
      marker.on("add", function () { dress(marker); });
      marker.bindPopup(popup);
    } else if (!marker.getLatLng().equals(mark.at)) {
      marker.setLatLng(mark.at);
    }
    if (marker.doorstepLook !== look) {
      var face = element("span", mark.sign);
      face.append(element("span", mark.label, "tag"));
      marker.setIcon(L.divIcon({ className: "mark " + mark.kind, html: face, iconSize: [22, 22] }));
    }
    var isOther = marker.doorstepText !== mark.text || marker.doorstepTitle !== mark.title;
    marker.doorstepLook = look;
    marker.doorstepTitle = mark.title;
    marker.doorstepText = mark.text;
    marker.doorstepLink = mark.link;
    marker.doorstepRank = mark.rank;
    marker.doorstepIsCourier = mark.key.indexOf("courier ") === 0;
    marker.doorstepDoor = mark.door;
    marker.doorstepRisk = mark.risk;
    if (isOther && marker.isPopupOpen()) { marker.getPopup().update(); }
    if (isNew) { (mark.door ? doorGroups : map).addLayer(marker); }
  }

  var SIGNS = { moving: "▲", standing: "■", idle: "○", silent: "?", broken: "✕" };
  var RISKS = { late: "!", at_risk: "·", on_time: "" };
  // The order in which labels are placed.
  var COURIERS = { broken: 0, silent: 1, untracked: 2, standing: 3, moving: 4, idle: 5 };
  var DOORS = { late: 10, at_risk: 11, on_time: 12 };
  var STORES = 20;

  function draw(places) {
    var seen = {};
    var doors = {};
    choosing.show(places.doors);
    document.getElementById("map-count").textContent = places.count;
    places.stores.forEach(function (store) {
      place({
        key: "store " + store.id, at: [store.latitude, store.longitude], kind: "store", sign: "S", label: store.name,
        title: store.name, text: "store", link: "/?store=" + encodeURIComponent(store.id), rank: STORES
      }, seen);
    });
    places.doors.forEach(function (door) {
      doors[door.delivery] = [door.latitude, door.longitude];
      place({
        key: "door " + door.delivery, at: doors[door.delivery], kind: "door " + door.risk,
        sign: "⌂" + (RISKS[door.risk] || ""), label: door.reference, title: door.reference, text: door.text,
        link: door.href, rank: DOORS[door.risk] || 13, door: door.delivery, risk: door.risk
      }, seen);
    });
    ways.clearLayers();
    places.couriers.forEach(function (courier) {
      var at = [courier.latitude, courier.longitude];
      var more = courier.state === "silent" ? ", " + courier.text
        : courier.state === "moving" ? "" : ", " + courier.activity;
      place({
        key: "courier " + courier.id, at: at, kind: "courier " + courier.state, sign: SIGNS[courier.state] || "•",
        label: courier.name + more, title: courier.name, text: courier.text,
        link: courier.href, rank: COURIERS[courier.state] || 0
      }, seen);
      var way = courier.deliveries.map(function (id) { return doors[id]; }).filter(Boolean);
      if (way.length > 0) {
        L.polyline([at].concat(way), { weight: 3, opacity: 0.7, dashArray: "6 6", color: isDark.matches ? "#7ab5ff" : "#0b62c4", interactive: false }).addTo(ways);
      }
    });
    Object.keys(markers).forEach(function (key) {
      if (!seen[key]) {
        (markers[key].doorstepDoor ? doorGroups : map).removeLayer(markers[key]);
        delete markers[key];
      }
    });
    dressAll();
    if (!hasFitted) { showAll(); }
  }

  // Doors, stores and who delivers to them; who has nothing to do may be far off.
  function showAll() {
    var all = Object.keys(markers).map(function (key) { return markers[key]; });
    var busy = all.filter(function (marker) { return marker.doorstepRank !== COURIERS.idle; });
    if (all.length === 0) { return; }
    hasFitted = true;
    var places = (busy.length > 0 ? busy : all).map(function (marker) { return marker.getLatLng(); });
    map.fitBounds(L.latLngBounds(places), { padding: [PADDING, PADDING], maxZoom: 16, animate: !isStill });
  }

  function zoned(time, options) {
    try {
      var inZone = Object.assign({ timeZone: holder.dataset.timeZone }, options);
      return new Intl.DateTimeFormat("en-GB", inZone).format(time);
    } catch (error) {
      // In the browser's own time zone, where it does not know that one.
      return new Intl.DateTimeFormat("en-GB", options).format(time);
    }
  }

  // A time of another day has its date.
  function clock(time) {
    var date = { day: "numeric", month: "short" };
    var day = zoned(time, date);
    var text = zoned(time, { hour: "2-digit", minute: "2-digit", second: "2-digit", hourCycle: "h23" });
    return day === zoned(new Date(), date) ? text : day + ", " + text;
  }

  // The same words again would be announced again.
  function say(text) {
    if (status.textContent !== text) { status.textContent = text; }
  }

  var reads = 0;
  var newest = 0;

  function read() {
    var number = reads += 1;
    var asking = new AbortController();
    setTimeout(function () { asking.abort(); }, INTERVAL);
    fetch(holder.dataset.places, { credentials: "same-origin", signal: asking.signal }).then(function (answer) {
      if (answer.redirected) { location.reload(); }
      if (!answer.ok) { throw new Error(String(answer.status)); }
      return answer.json();
    }).then(function (places) {
      // The answer to a later request came first.
      if (number < newest) { return; }
      newest = number;
      say(places.missing.join(" "));
      draw(places);
      drawnAt = new Date();
    }).catch(function () {
      if (number < newest) { return; }
      say("No connection to the desk since " + clock(drawnAt) + ". This page shows the state of that time.");
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
