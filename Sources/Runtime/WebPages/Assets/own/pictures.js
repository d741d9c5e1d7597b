// Pictures of a hand-over on a courier's page: makes them small and without what a camera writes beside them, lets a
// person sign, reads a barcode, and keeps what is not sent yet in the browser's database, also while the page is closed.
(function () {
  "use strict";
  // The server takes no more.
  var BYTES = 200000;
  // Pixels.
  var SIDE = 1280;
  var SIDE_LEAST = 320;
  var DATABASE = "doorstep";
  var STORE = "pictures";

  function encoded(canvas, type, quality) {
    return new Promise(function (resolve, reject) {
      canvas.toBlob(function (blob) {
        if (blob) { resolve(blob); } else { reject(new Error("the picture cannot be encoded")); }
      }, type, quality);
    });
  }

  // A picture of at most `side` pixels on white, where it is transparent.
  function drawn(source, side) {
    var scale = Math.min(1, side / Math.max(source.width, source.height));
    var canvas = document.createElement("canvas");
    canvas.width = Math.max(1, Math.round(source.width * scale));
    canvas.height = Math.max(1, Math.round(source.height * scale));
    var context = canvas.getContext("2d");
    context.fillStyle = "white";
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.drawImage(source, 0, 0, canvas.width, canvas.height);
    return canvas;
  }

  function shrunk(source, side, quality) {
    return encoded(drawn(source, side), "image/jpeg", quality).then(function (blob) {
      var isSmall = blob.size <= BYTES || side <= SIDE_LEAST;
      return isSmall ? blob : shrunk(source, side * 0.75, Math.max(0.5, quality - 0.1));
    });
  }

  // In memory where the browser keeps nothing.
  var memory = {};
  // Milliseconds within which the database answers; a phone that wakes may have lost it.
  var DATABASE_ANSWER = 10000;

  function inDatabase(mode, use) {
    return new Promise(function (resolve, reject) {
      setTimeout(function () { reject(new Error("the browser's database does not answer")); }, DATABASE_ANSWER);
      var opening = indexedDB.open(DATABASE, 1);
      opening.onupgradeneeded = function () { opening.result.createObjectStore(STORE); };
      opening.onerror = function () { reject(opening.error); };
      opening.onsuccess = function () {
        var database = opening.result;
        // What is thrown in here would be lost, and the promise never settled.
        try {
          var transaction = database.transaction(STORE, mode);
          var asked = use(transaction.objectStore(STORE));
          transaction.oncomplete = function () {
            database.close();
            resolve(asked.result);
          };
          transaction.onabort = function () {
            database.close();
            reject(transaction.error);
          };
        } catch (error) {
          database.close();
          reject(error);
        }
      };
    });
  }

  // Fails, as with a file that is no picture, where the browser has no `createImageBitmap`: Safari before 15.
  function decoded(file) {
    return new Promise(function (resolve) { resolve(createImageBitmap(file)); });
  }

  window.doorstepPictures = {
    // A photo as a JPEG.
    ofFile: function (file) {
      return decoded(file).then(function (bitmap) { return shrunk(bitmap, SIDE, 0.8); });
    },
    // A signature as a PNG.
    ofDrawing: function (canvas) { return encoded(drawn(canvas, SIDE), "image/png"); },
    clear: function (canvas) {
      canvas.getContext("2d").clearRect(0, 0, canvas.width, canvas.height);
      delete canvas.dataset.signed;
    },
    canReadBarcodes: "BarcodeDetector" in window,
    // The text of a barcode in a photo; nothing where none is found.
    barcode: function (file) {
      return decoded(file).then(function (bitmap) {
        return new BarcodeDetector().detect(bitmap);
      }).then(function (found) { return found.length > 0 ? found[0].rawValue : null; });
    },
    keep: function (id, picture) {
      return inDatabase("readwrite", function (store) { return store.put(picture, id); }).catch(function () {
        memory[id] = picture;
      });
    },
    // Nothing where there is none; an error where the browser cannot say.
    read: function (id) {
      if (id in memory) { return Promise.resolve(memory[id]); }
      return inDatabase("readonly", function (store) { return store.get(id); });
    },
    forget: function (id) {
      delete memory[id];
      return inDatabase("readwrite", function (store) { return store.delete(id); }).catch(function () {});
    },
    // Forgets the pictures that neither these presses nor any that a courier's page keeps in the browser names: of a
    // former link, or of a page that was closed too soon.
    forgetUnnamed: function (presses) {
      var named = presses;
      try {
        for (var place = 0; place < localStorage.length; place += 1) {
          var name = localStorage.key(place);
          if (name.startsWith("doorstep-presses ")) {
            named = named.concat(JSON.parse(localStorage.getItem(name)) || []);
          }
        }
      } catch (error) {
        // What cannot be read may name pictures.
        return;
      }
      var ids = named.map(function (press) { return press.id; });
      inDatabase("readwrite", function (store) {
        var asked = store.getAllKeys();
        asked.onsuccess = function () {
          asked.result.forEach(function (id) {
            if (ids.indexOf(id) < 0) { store.delete(id); }
          });
        };
        return asked;
      }).catch(function () {});
    }
  };

  // Signing: a finger or a pen draws on the canvas.
  function place(event) {
    var canvas = event.target;
    return {
      x: event.offsetX * canvas.width / canvas.clientWidth, y: event.offsetY * canvas.height / canvas.clientHeight
    };
  }
  function isDrawing(event) { return Boolean(event.target.dataset && "drawing" in event.target.dataset); }

  document.addEventListener("pointerdown", function (event) {
    if (!isDrawing(event)) { return; }
    var context = event.target.getContext("2d");
    var at = place(event);
    event.target.setPointerCapture(event.pointerId);
    event.target.dataset.drawing = "now";
    context.lineWidth = 4;
    context.lineCap = "round";
    context.lineJoin = "round";
    context.strokeStyle = "black";
    context.beginPath();
    context.moveTo(at.x, at.y);
  });
  document.addEventListener("pointermove", function (event) {
    if (!isDrawing(event) || event.target.dataset.drawing !== "now") { return; }
    var context = event.target.getContext("2d");
    var at = place(event);
    context.lineTo(at.x, at.y);
    context.stroke();
    event.target.dataset.signed = "true";
  });
  ["pointerup", "pointercancel"].forEach(function (name) {
    document.addEventListener(name, function (event) {
      if (isDrawing(event)) { event.target.dataset.drawing = ""; }
    });
  });
  document.addEventListener("click", function (event) {
    var id = event.target.dataset && event.target.dataset.clears;
    var canvas = id && document.getElementById(id);
    if (canvas) { window.doorstepPictures.clear(canvas); }
  });
})();
