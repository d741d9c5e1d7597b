// Shows the alerts of deliveries while their pages are closed; a tap opens the page.
(function () {
  "use strict";
  self.addEventListener("install", function () { self.skipWaiting(); });

  self.addEventListener("push", function (event) {
    if (!event.data) { return; }
    var alert = event.data.json();
    event.waitUntil(self.registration.showNotification(alert.title, {
      body: alert.body, lang: alert.language, tag: alert.tag, renotify: true, data: { path: alert.path }
    }));
  });

  self.addEventListener("notificationclick", function (event) {
    var path = event.notification.data.path;
    event.notification.close();
    if (!path) { return; }
    event.waitUntil(self.clients.matchAll({ type: "window", includeUncontrolled: true }).then(function (windows) {
      var open = windows.filter(function (one) { return new URL(one.url).pathname === path; })[0];
      return open ? open.focus() : self.clients.openWindow(path);
    }));
  });
})();
