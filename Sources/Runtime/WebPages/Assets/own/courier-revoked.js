// On the page of a courier's link that was taken back: what its page had not sent goes, so that no PIN, photo or
// signature stays on a phone whose courier cannot send it any more.
(function () {
  "use strict";
  // Of the link, whatever the address is: a press was answered at one below it.
  var path = location.pathname.split("/").slice(0, 3).join("/");
  var named = [];
  try {
    localStorage.removeItem("doorstep-presses " + path);
    localStorage.removeItem("doorstep-phone " + path);
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
  window.doorstepPictures.forgetOthers(named.map(function (one) { return one.id; }));
})();
