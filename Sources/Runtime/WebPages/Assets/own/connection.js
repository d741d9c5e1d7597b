// Says on a page since when it has no connection, in words that come with the page.
(function () {
  "use strict";
  var lostAt = null;
  // When the page was last known to be up to date: a device that slept notices hours later that it has no connection.
  var freshAt = new Date();
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

  // In 12 hours where the page's other times are, and with their colon, in place of which Danish has a point here.
  function text(time, more) {
    var hours = live().dataset.hourCycle === "h12"
      ? { hour: "numeric", hourCycle: "h12" } : { hour: "2-digit", hourCycle: "h23" };
    return format(
      time, document.documentElement.lang, Object.assign(hours, { minute: "2-digit", numberingSystem: "latn" }, more)
    ).replace(/(\d)\.(\d\d)/, "$1:$2");
  }

  // `UTC+2` or `UTC`, as the texts of the page have it in every language; nothing in browsers that cannot write it:
  // Chrome before 95, Firefox before 91, Safari before 15.4.
  function offset(time) {
    try {
      return format(time, "en", { timeZoneName: "shortOffset" }).replace(/^.*GMT(\+0$)?/, "UTC");
    } catch (error) { return ""; }
  }

  function dayOf(time) {
    return format(time, "en", { day: "numeric", month: "numeric", year: "numeric" });
  }

  // With its day, in the browser's form, where that is not today; and in the hour that comes twice with its offset, as
  // the texts of the page have it.
  function clock(time) {
    var day = { day: "numeric", month: "short" };
    var comesTwice = [-1, 1].some(function (hours) {
      return text(new Date(+time + hours * 3600000), day) === text(time, day);
    });
    var written = text(time, dayOf(time) === dayOf(new Date()) ? {} : day);
    var shift = comesTwice ? offset(time) : "";
    return shift ? written + " (" + shift + ")" : written;
  }

  // A page that something between sends in place of ours has no such part, which would be replaced by nothing.
  document.body.addEventListener("htmx:beforeSwap", function (event) {
    if (!event.detail.shouldSwap || event.detail.xhr.responseText.indexOf('id="live"') >= 0) { return; }
    event.detail.shouldSwap = false;
    event.detail.isError = true;
  });

  window.doorstepConnection = {
    // The same text once more would be announced once more where the element is a live region.
    write: function (element, text) {
      if (element.textContent !== text) { element.textContent = text; }
    },
    // A signal that ends a request: older browsers have no `AbortSignal.timeout`.
    within: function (milliseconds) {
      var asking = new AbortController();
      setTimeout(function () { asking.abort(); }, milliseconds);
      return asking.signal;
    },
    // Whether the page's address has the reason why there is nothing to show any more: only a page has one.
    isGone: function (answer) {
      var type = answer.getResponseHeader("Content-Type") || "";
      return (answer.status === 404 || answer.status === 410) && type.startsWith("text/html");
    },
    lost: function () {
      lostAt = lostAt || freshAt;
      window.doorstepConnection.write(
        notice(), (reason || live().dataset.noConnection).replace("{time}", clock(lostAt)));
      notice().hidden = false;
    },
    // The server has as many open pages as it takes.
    full: function (pages) {
      if (live().dataset.over === "true" || !live().dataset.full) { return; }
      reason = live().dataset.full.replace("{pages}", pages);
      this.lost();
    },
    // A refused stream is closed, and its reason is hidden from scripts: its address is requested once more. The answer
    // is the seconds to wait before the next attempt, 0 without a reason.
    explain: function (address) {
      var asking = new AbortController();
      return fetch(address, { signal: asking.signal }).then(function (answer) {
        if (answer.status !== 429) {
          asking.abort();
          return 0;
        }
        return answer.json().then(function (problem) {
          if (problem.pages_max) { window.doorstepConnection.full(problem.pages_max); }
          return Number(answer.headers.get("Retry-After"));
        });
      }).catch(function () { return 0; });
    },
    // The page was read, and is up to date, also where its stream is refused.
    read: function () {
      freshAt = new Date();
      if (lostAt) { lostAt = freshAt; }
    },
    connected: function () {
      // What was on its way when the network went.
      if (navigator.onLine === false) { return; }
      freshAt = new Date();
      window.doorstepConnection.opened();
    },
    // The service is there; what the page shows is as old as before.
    opened: function () {
      if (navigator.onLine === false) { return; }
      lostAt = null;
      reason = null;
      notice().hidden = true;
    }
  };
})();
