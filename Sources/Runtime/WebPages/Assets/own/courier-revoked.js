// On the page of a courier's link that was taken back: what its page had not sent goes, so that no PIN, photo or
// signature stays on a phone whose courier cannot send it any more.
(function () {
  "use strict";
  // Of the link, whatever the address is: a press was answered at one below it.
  var path = location.pathname.split("/").slice(0, 3).join("/");
  try {
    localStorage.removeItem("doorstep-presses " + path);
    localStorage.removeItem("doorstep-phone " + path);
  } catch (error) {
    // The browser keeps nothing.
  }
  window.doorstepPictures.forgetUnnamed([]);
})();
