// Says on a page since when it has no connection, in words that come with the page.
(function () {
  "use strict";
  var lostAt = null;
  // The words in place of those of a lost connection.
  var reason = null;

  // They are other elements after each time that the page was read again.
  function live() { return document.getElementById("live"); }
  function notice() { return document.getElementById("connection"); }

  // In the page's time zone, and in the browser's own where it does not know that one.
  function format(time, language, options) {
    try {
      var zoned = Object.assign({ timeZone: live().dataset.timeZone }, options);
      return new Intl.DateTimeFormat(language, zoned).format(time);
    } catch (error) {
      return new Intl.DateTimeFormat(language, options).format(time);
    }
  }

  function text(time, more) {
    return format(time, document.documentElement.lang, Object.assign({
      hour: "2-digit", minute: "2-digit", hourCycle: "h23", numberingSystem: "latn"
    }, more));
  }

  function dayOf(time) {
    return format(time, "en", { day: "numeric", month: "numeric", year: "numeric" });
  }

  // With its day where that is not today, and in the hour that comes twice with its offset, as the texts of the page
  // have it.
  function clock(time) {
    var day = { day: "numeric", month: "short" };
    var comesTwice = [-1, 1].some(function (hours) {
      return text(new Date(+time + hours * 3600000), day) === text(time, day);
    });
    var more = comesTwice ? { timeZoneName: "shortOffset" } : {};
    return text(time, dayOf(time) === dayOf(new Date()) ? more : Object.assign(more, day));
  }

  window.doorstepConnection = {
    lost: function () {
      lostAt = lostAt || new Date();
      notice().textContent = (reason || live().dataset.noConnection).replace("{time}", clock(lostAt));
      notice().hidden = false;
    },
    // The server has as many open pages as it takes.
    full: function (pages) {
      reason = live().dataset.full.replace("{pages}", pages);
      this.lost();
    },
    connected: function () {
      // What was on its way when the network went.
      if (navigator.onLine === false) { return; }
      lostAt = null;
      reason = null;
      notice().hidden = true;
    }
  };
})();
