// Doors that are chosen on the desk's map or in the list beside it; the form leads to the board with these alone.
(function () {
  "use strict";
  // Pixels from which Shift and a drag draw a box; less is a click.
  var DRAG = 5;

  // The choice of a page.
  //
  // doors: the cluster group of the doors' markers, each with the delivery as doorstepDoor.
  // changed: called after each change.
  window.doorstepChoosing = function (map, holder, doors, changed) {
    var form = document.getElementById("choosing");
    var list = document.getElementById("doors");
    var most = Number(holder.dataset.chosenMax);
    var mayChoose = Boolean(form);
    var endsDrag = false;

    function boxes() { return Array.prototype.slice.call(list.querySelectorAll("input[type=checkbox]")); }

    function box(id) { return list.querySelector('[data-door="' + id + '"] input'); }

    function isChosen(id) {
      var found = mayChoose ? box(id) : null;
      return Boolean(found && found.checked);
    }

    // Chosen doors that the map shows no more; a board leaves out what has ended.
    function left() { return Array.prototype.slice.call(form.querySelectorAll("[data-left]")); }

    function leave(id) {
      var input = document.createElement("input");
      input.type = "hidden";
      input.name = "chosen";
      input.value = id;
      input.dataset.left = id;
      form.append(input);
    }

    function forgetLeft() {
      left().forEach(function (one) { one.remove(); });
      settle();
    }

    function comeBack(id) {
      var kept = mayChoose ? left().find(function (one) { return one.value === id; }) : null;
      if (!kept) { return; }
      kept.remove();
      box(id).checked = true;
    }

    function settle() {
      if (!mayChoose) { return; }
      var hidden = left().length;
      var count = hidden + boxes().filter(function (one) { return one.checked; }).length;
      document.getElementById("act").disabled = count === 0 || count > most;
      var text = count === 0 ? ""
        : count + " chosen" + (hidden > 0 ? ", " + hidden + " of them not shown" : "")
          + (count > most ? "; at most " + most + " are changed together" : "");
      var forget = document.getElementById("forget-left");
      if (forget) {
        // A button that is hidden loses the focus.
        if (hidden === 0 && document.activeElement === forget) {
          document.getElementById("choose-none").focus({ preventScroll: true });
        }
        forget.hidden = hidden === 0;
      }
      // The same words again would be announced again.
      var status = document.getElementById("choosing-status");
      if (status.textContent !== text) { status.textContent = text; }
      changed();
    }

    function set(ids, isOn) {
      ids.forEach(function (id) {
        var found = box(id);
        if (found) { found.checked = isOn; }
      });
      settle();
    }

    function toggle(ids) { set(ids, !ids.every(isChosen)); }

    // MARK: The list

    function made(door) {
      var item = document.createElement("li");
      item.dataset.door = door.delivery;
      if (mayChoose) {
        var input = document.createElement("input");
        input.type = "checkbox";
        input.name = "chosen";
        input.value = door.delivery;
        input.setAttribute("form", "choosing");
        input.setAttribute("aria-label", "Choose " + door.reference);
        item.append(input, " ");
      }
      var link = document.createElement("a");
      link.href = door.href;
      link.append(document.createElement("bdi"));
      item.append(link);
      return item;
    }

    // Adds and removes doors; the others stay where they are, and so does the focus.
    function show(all) {
      var former = {};
      list.querySelectorAll("[data-door]").forEach(function (item) { former[item.dataset.door] = item; });
      all.forEach(function (door) {
        var item = former[door.delivery];
        delete former[door.delivery];
        if (!item) {
          item = made(door);
          list.append(item);
          comeBack(door.delivery);
        }
        var text = item.querySelector("bdi");
        if (text.textContent !== door.text) { text.textContent = door.text; }
      });
      Object.keys(former).forEach(function (id) {
        if (isChosen(id)) { leave(id); }
        former[id].remove();
      });
      settle();
    }

    // MARK: The map

    function layerOf(mark) {
      var found = null;
      map.eachLayer(function (layer) {
        if (layer instanceof L.Marker && layer.getElement() === mark) { found = layer; }
      });
      return found;
    }

    // The deliveries of a mark: of a door or of a group of doors, and none of another mark.
    function idsOf(layer) {
      if (!layer) { return []; }
      var all = layer.getAllChildMarkers ? layer.getAllChildMarkers() : [layer];
      return all.map(function (marker) { return marker.doorstepDoor; }).filter(Boolean);
    }

    function within(bounds) {
      return doors.getLayers().filter(function (marker) { return bounds.contains(marker.getLatLng()); })
        .map(function (marker) { return marker.doorstepDoor; });
    }

    function at(event) { return map.mouseEventToContainerPoint(event); }

    function drag(event) {
      var start = at(event);
      var frame = null;
      function move(event) {
        var end = at(event);
        if (!frame && start.distanceTo(end) < DRAG) { return; }
        if (!frame) {
          frame = L.DomUtil.create("div", "leaflet-zoom-box", holder);
        }
        var area = L.bounds(start, end);
        L.DomUtil.setPosition(frame, area.min);
        frame.style.width = area.getSize().x + "px";
        frame.style.height = area.getSize().y + "px";
      }
      function stop(event) {
        document.removeEventListener("mousemove", move);
        document.removeEventListener("mouseup", stop);
        if (!frame) { return; }
        frame.remove();
        // The click that ends the drag comes before the next task.
        endsDrag = true;
        setTimeout(function () { endsDrag = false; });
        var area = L.bounds(start, at(event));
        set(within(L.latLngBounds(
          map.containerPointToLatLng(area.min), map.containerPointToLatLng(area.max))), true);
      }
      document.addEventListener("mousemove", move);
      document.addEventListener("mouseup", stop);
    }

    function cancel(event) {
      event.stopImmediatePropagation();
      event.preventDefault();
    }

    if (mayChoose) {
      list.addEventListener("change", settle);
      holder.addEventListener("mousedown", function (event) {
        if (!event.shiftKey || event.button !== 0 || event.target.closest(".leaflet-control")) { return; }
        event.preventDefault();
        drag(event);
      });
      // Before Leaflet, which would open what is clicked.
      holder.addEventListener("click", function (event) {
        if (endsDrag) { return cancel(event); }
        var mark = event.shiftKey ? event.target.closest(".mark") : null;
        var ids = mark ? idsOf(layerOf(mark)) : [];
        if (ids.length === 0) { return; }
        cancel(event);
        toggle(ids);
      }, true);
      holder.addEventListener("keydown", function (event) {
        var mark = event.key === "x" ? event.target.closest(".mark") : null;
        var layer = mark ? layerOf(mark) : null;
        var ids = idsOf(layer);
        if (ids.length === 0) { return; }
        event.preventDefault();
        toggle(ids);
        // A group is drawn anew.
        if (layer.getElement()) { layer.getElement().focus({ preventScroll: true }); }
      });
      var view = document.getElementById("choose-view");
      view.addEventListener("click", function () { set(within(map.getBounds()), true); });
      var none = document.getElementById("choose-none");
      none.addEventListener("click", function () {
        forgetLeft();
        set(boxes().map(function (one) { return one.value; }), false);
      });
      var forget = document.getElementById("forget-left");
      if (forget) { forget.addEventListener("click", forgetLeft); }
      view.hidden = none.hidden = document.getElementById("choosing-keys").hidden = false;
      settle();
    }

    return { mayChoose: mayChoose, isChosen: isChosen, toggle: toggle, show: show };
  };
})();
