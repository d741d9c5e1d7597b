// Images beneath a map, as its element names them: of a file with zooms and an area of its own, or of a tile server.
(function () {
  "use strict";
  // Leaflet's images go no further.
  var ZOOM_MAX = 19;
  // Zooms for which the largest image of a file is enlarged.
  var ENLARGED = 4;
  // Leaflet points an image that it drops to a data: URL, which the page's policy refuses: without an address it loads
  // nothing either.
  var MapImages = window.L && L.TileLayer.extend({
    _abortLoading: function () {
      Object.keys(this._tiles).forEach(function (key) {
        var image = this._tiles[key].el;
        if (this._tiles[key].coords.z === this._tileZoom || image.complete) { return; }
        var coords = this._tiles[key].coords;
        image.onload = image.onerror = L.Util.falseFn;
        image.removeAttribute("src");
        image.remove();
        delete this._tiles[key];
        this.fire("tileabort", { tile: image, coords: coords });
      }, this);
    },
    _removeTile: function (key) {
      if (this._tiles[key]) { this._tiles[key].el.removeAttribute("src"); }
      L.GridLayer.prototype._removeTile.call(this, key);
    }
  });

  // Nothing is asked for beyond a file's zooms and area.
  function options(names) {
    var options = { attribution: "", maxZoom: ZOOM_MAX, referrerPolicy: "origin" };
    if (names.zooms) {
      var zooms = names.zooms.split(" ").map(Number);
      var bounds = names.bounds.split(" ").map(Number);
      options.minZoom = zooms[0];
      options.maxNativeZoom = Math.min(zooms[1], ZOOM_MAX);
      options.maxZoom = Math.min(zooms[1] + ENLARGED, ZOOM_MAX);
      options.bounds = [[bounds[0], bounds[1]], [bounds[2], bounds[3]]];
    }
    return options;
  }

  // Adds the images to a map, and who made them.
  window.doorstepImages = function (map, element) {
    var names = element.dataset;
    if (names.tiles) { new MapImages(names.tiles, options(names)).addTo(map); }
    // As text: whoever wrote the attribution writes no markup into this page.
    if (names.attribution) {
      var text = document.createElement("span");
      text.textContent = names.attribution;
      map.attributionControl.addAttribution(text.innerHTML);
    }
  };
})();
