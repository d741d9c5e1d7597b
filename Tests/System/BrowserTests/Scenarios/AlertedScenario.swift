import BrowserSupport
import Foundation
import LiveActivity
import OrderDomain
import ScriptedPeers
import Testing
import WebPushTesting

extension BrowserTests {
    @Test("A browser that asked for it is notified of each alert once, of what the phone would say, and opens the page")
    func alerted() async throws {
        let push = try await ScriptedHTTPServer.start { _ in .answer(201) }
        try await OpenDelivery.run(alertingBrowsers: true) { delivery in
            let (page, browser) = (delivery.page, SubscribedBrowser())
            try await page.permitNotifications()
            try await page.subscribesAs(browser, at: push.endpoint)
            try await delivery.set(.accepted)
            try await page.open(delivery.link)
            try await page.expect("#reference")
            #expect(try await page.elements("#alerts").isEmpty)
            try await delivery.prove()
            try await delivery.expect("#alerts", contains: "Notify me on this device")
            try await delivery.expectAccessible()
            try await page.element("#alerts-button").click()
            try await delivery.expect("#alerts", contains: "You are notified on this device.")
            try await delivery.expectSilentConsole()

            // A browser that has lost the proof is asked for the number, and goes on as it was.
            try await page.deleteCookies()
            try await page.element("#alerts-button").click()
            try await delivery.prove()
            try await delivery.expect("#alerts", contains: "Stop notifying me")
            try await page.element("#alerts-button").click()
            try await delivery.expect("#alerts", contains: "Notify me on this device")
            // The button says what a press does, also when an attempt that took too long ends after all.
            try await page.holdRequest()
            try await page.element("#alerts-button").click()
            try await delivery.expect("#alerts", contains: "That did not work just now.")
            try await page.releaseRequest()
            try await delivery.expect("#alerts", contains: "Stop notifying me")
            try await delivery.expect("#alerts", contains: "You are notified on this device.")

            try await delivery.assignMira()
            try await delivery.set(.picking, .staged, .pickedUp, .enRoute, .arriving)
            let first = try browser.decrypt(try await push.request().body)
            let arriving = try JSONDecoder().decode(Notice.self, from: Data(first))
            #expect(arriving.title.contains("Mira") && arriving.tag == delivery.id.rawValue)

            let message = String(decoding: first, as: UTF8.self)
            try await page.waitUntil("the notification is shown") {
                let shown = try await page.shownNotifications()
                // The browser's tools drop what they deliver before they know of the worker: the same notification is
                // shown once, however often it comes.
                if shown.isEmpty { try await page.deliverPush(message) }
                return shown == ["\(arriving.title)|\(arriving.body)"]
            }
            try await page.open(delivery.url(arriving.path))
            try await delivery.expectPhoneCard(in: .init(.arriving))
            try await delivery.expect("#alerts", contains: "Stop notifying me")

            try await delivery.set(.atDoor)
            let second = try JSONDecoder().decode(
                Notice.self, from: Data(browser.decrypt(try await push.request().body)))
            #expect(second.title != arriving.title)
            try await page.element("#alerts-button").click()
            try await delivery.expect("#alerts", contains: "Notify me on this device")
            try await delivery.set(.delivered)
            try await delivery.expectPhoneCard(in: .init(.ended))
            #expect(push.requestCount == 2)
        }
        try await push.stop()
    }

    /// What a browser is sent.
    private struct Notice: Decodable {
        let title: String
        let body: String
        let tag: String
        let path: String
    }
}

extension BrowserPage {
    private struct Permissions: Encodable {
        let permissions: [String]
    }

    fileprivate func permitNotifications() async throws {
        try await devTools("Browser.grantPermissions", Permissions(permissions: ["notifications"]))
    }

    private struct Script: Encodable {
        let source: String
    }

    /// Has every page from now on subscribe at a push service of a test: the browser's own is its maker's, which no test
    /// reaches.
    fileprivate func subscribesAs(_ browser: SubscribedBrowser, at endpoint: String) async throws {
        try await devTools(
            "Page.addScriptToEvaluateOnNewDocument",
            Script(
                source: """
                    (function () {
                      const keys = { p256dh: "\(browser.p256dhText)", auth: "\(browser.authText)" };
                      const made = { endpoint: "\(endpoint)", toJSON: () => ({ endpoint: made.endpoint, keys }) };
                      PushManager.prototype.subscribe = async () => made;
                      PushManager.prototype.getSubscription = async () => made;
                    })();
                    """))
    }

    /// Holds the page's next request, for which its script waits no time at all, until ``releaseRequest()``.
    fileprivate func holdRequest() async throws {
        try await execute(
            """
            const { fetch, setTimeout } = window
            window.setTimeout = (work, after, ...rest) => setTimeout(work, after === 20000 ? 0 : after, ...rest)
            window.fetch = (...request) => new Promise((answer) => {
                window.release = () => {
                    Object.assign(window, { fetch, setTimeout })
                    answer(fetch(...request))
                }
            })
            """)
    }

    /// Sends the request that ``holdRequest()`` holds, once the page has made it.
    fileprivate func releaseRequest() async throws {
        try await waitUntil("the page has made its request") {
            try await execute("return typeof window.release === 'function'", as: Bool.self)
        }
        try await execute("window.release()")
    }

    private struct Push: Encodable {
        let origin: String
        let registrationId: String
        let data: String
    }

    /// Hands the page's service worker a message, as the browser does that received it.
    fileprivate func deliverPush(_ data: String) async throws {
        let origin = try await execute("return location.origin", as: String.self)
        try await devTools("ServiceWorker.enable")
        try await devTools("ServiceWorker.deliverPushMessage", Push(origin: origin, registrationId: "0", data: data))
    }

    /// Title and text of each.
    fileprivate func shownNotifications() async throws -> [String] {
        try await executeAsync(
            """
            const done = arguments[0];
            navigator.serviceWorker.ready.then(one => one.getNotifications())
                .then(all => done(all.map(one => one.title + "|" + one.body)));
            """, as: [String].self)
    }
}

extension OpenDelivery {
    /// The whole of a page's path.
    fileprivate func url(_ path: String) -> String { link.prefix { $0 != "?" }.split(separator: "/l/")[0] + path }
}
