// Says on a page since when it has no connection, in words that come with the page.
(function () {
  "use strict";
  var lostAt = null;

  // They are other elements after each time that the page was read again.
  function live() { return document.getElementById("live"); }
  function notice() { return document.getElementById("connection"); }

  function clock(time) {
    return new Intl.DateTimeFormat(document.documentElement.lang, {
      hour: "2-digit", minute: "2-digit", hourCycle: "h23", timeZone: live().dataset.timeZone
    }).format(time);
  }

  window.doorstepConnection = {
    lost: function () {
      lostAt = lostAt || new Date();
      notice().textContent = live().dataset.noConnection.replace("{time}", clock(lostAt));
      notice().hidden = false;
    },
    connected: function () {
      // What was on its way when the network went.
      if (navigator.onLine === false) { return; }
      lostAt = null;
      notice().hidden = true;
    }
  };
})();
