// Labels beside the marks of the desk's map, so that none covers another label or a mark.
//
// Couriers' labels are placed first, the silent before the others; then those of doors, the late first; then stores'.
// A label stands right of its mark, else left, above or below. Without room it is hidden, until there is some or until
// the pointer or the focus is on the mark. Before that, a courier who is where a group stands is moved beside it, so that
// the group's number can be read.
(function () {
  "use strict";
  var HEIGHT = 16;
  var GAP = 3;
  // Pixels between the centres of a group and of a courier beside it: half of both.
  var ASIDE = 30;
  var SIDES = ["right", "left", "above", "below"];
  var canvas = document.createElement("canvas").getContext("2d");

  function around(x, y, width, height) {
    return { left: x - width / 2, right: x + width / 2, top: y - height / 2, bottom: y + height / 2 };
  }

  function beside(mark, width, side) {
    var x = (mark.left + mark.right) / 2;
    var y = (mark.top + mark.bottom) / 2;
    switch (side) {
    case "right": return around(mark.right + GAP + width / 2, y, width, HEIGHT);
    case "left": return around(mark.left - GAP - width / 2, y, width, HEIGHT);
    case "above": return around(x, mark.top - GAP - HEIGHT / 2, width, HEIGHT);
    default: return around(x, mark.bottom + GAP + HEIGHT / 2, width, HEIGHT);
    }
  }

  function overlap(one, other) {
    return one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;
  }

  // How far from its place a courier's mark stands, so that it covers no group where there is room.
  function aside(place, groups) {
    var choices = [];
    groups.forEach(function (group) {
      if (group.distanceTo(place) >= ASIDE) { return; }
      for (var angle = 0; angle < 2 * Math.PI; angle += Math.PI / 4) {
        choices.push(group.add(L.point(ASIDE * Math.cos(angle), ASIDE * Math.sin(angle))));
      }
    });
    choices.sort(function (one, other) { return one.distanceTo(place) - other.distanceTo(place); });
    var free = choices.find(function (choice) {
      return groups.every(function (group) { return group.distanceTo(choice) > ASIDE - 1; });
    });
    return (free || choices[0] || place).subtract(place);
  }

  function standAside(map) {
    var groups = [];
    var couriers = [];
    map.eachLayer(function (layer) {
      if (!(layer instanceof L.Marker) || !layer.getElement()) { return; }
      if (layer.getAllChildMarkers) { groups.push(map.latLngToContainerPoint(layer.getLatLng())); }
      if (layer.doorstepIsCourier) { couriers.push(layer); }
    });
    couriers.forEach(function (courier) {
      var shift = aside(map.latLngToContainerPoint(courier.getLatLng()), groups);
      var half = courier.options.icon.options.iconSize[0] / 2;
      courier.doorstepShift = shift;
      courier.getElement().style.marginLeft = shift.x - half + "px";
      courier.getElement().style.marginTop = shift.y - half + "px";
    });
  }

  // All that is measured is read before anything is written, so that the page is laid out once.
  function marksOf(map) {
    var marks = [];
    map.eachLayer(function (layer) {
      var element = layer instanceof L.Marker ? layer.getElement() : null;
      if (!element) { return; }
      var point = map.latLngToContainerPoint(layer.getLatLng()).add(layer.doorstepShift || L.point(0, 0));
      marks.push({
        box: around(point.x, point.y, element.offsetWidth, element.offsetHeight),
        tag: element.querySelector(".tag"), rank: layer.doorstepRank
      });
    });
    return marks;
  }

  function place(map) {
    standAside(map);
    var marks = marksOf(map);
    var used = marks.map(function (mark) { return mark.box; });
    var labelled = marks.filter(function (mark) { return mark.tag && mark.tag.textContent; });
    if (labelled.length > 0) { canvas.font = getComputedStyle(labelled[0].tag).font; }
    labelled.sort(function (one, other) { return one.rank - other.rank; });
    labelled.forEach(function (mark) {
      var width = canvas.measureText(mark.tag.textContent).width;
      var side = SIDES.find(function (side) {
        var box = beside(mark.box, width, side);
        if (used.some(function (other) { return overlap(box, other); })) { return false; }
        used.push(box);
        return true;
      });
      mark.tag.dataset.side = side || "none";
    });
  }

  // A function that places the labels of a map before the next frame, once for all calls until then.
  window.doorstepLabels = function (map) {
    var isWaiting = false;
    return function () {
      if (isWaiting) { return; }
      isWaiting = true;
      requestAnimationFrame(function () {
        isWaiting = false;
        place(map);
      });
    };
  };
})();
