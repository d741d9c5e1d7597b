import BrowserSupport
import DoorstepAPI
import OrderDomain
import Testing

/// A courier's browser whose database fails.
extension BrowserTests {
    @Test("Pictures outlast a browser's database that fails, and the courier is asked for one that it lost")
    func lostPictures() async throws {
        try await OpenDelivery.run(requires: [.photo, .signature]) { delivery in
            let courier = try await CourierOfDelivery(atDoorOf: delivery)
            let page = courier.page
            try await page.setOffline(true)
            try await courier.give(.photo)
            try await courier.expect("Not sent yet: a photo of the bag")
            try await page.loseDatabase()
            try await page.setOffline(false)
            try await page.expect("#refused", contains: "This picture cannot be used. Take another.")
            try await page.waitUntil("the lost photo waits no longer") {
                try await !page.element("main").text.contains("Not sent yet")
            }
            #expect(try await delivery.delivery().proofs?.map(\.state) == [.missing, .missing])

            try await page.setOffline(true)
            try await courier.give(.photo)
            try await courier.expect("Not sent yet: a photo of the bag")
            try await page.setDatabase(isAnswering: false)
            // This one is in the page's memory alone.
            try await courier.give(.signature)
            try await courier.expect("Not sent yet: a signature")
            try await page.click("[id=\"after-\(delivery.id)\"]")
            try await courier.expect("Handed over, to be confirmed.")
            try await page.setOffline(false)
            try await page.waitUntil("the photo cannot be read, and is kept") {
                try await page.element("#connection").isDisplayed
            }
            #expect(try await delivery.delivery().status == .atDoor)
            try await page.setDatabase(isAnswering: true)
            try await courier.waitUntil(.delivered)
            #expect(try await delivery.delivery().proofs?.map(\.state) == [.passed, .passed])
        }
    }
}

extension BrowserPage {
    /// Deletes what the browser's database has, as soon as the page has closed its connection.
    fileprivate func loseDatabase() async throws {
        let isLost = try await executeAsync(
            """
            const [answer] = arguments, deletion = indexedDB.deleteDatabase("doorstep")
            deletion.onsuccess = () => answer(true)
            deletion.onerror = () => answer(false)
            """, as: Bool.self)
        #expect(isLost)
    }

    fileprivate func setDatabase(isAnswering: Bool) async throws {
        try await execute(
            """
            const factory = IDBFactory.prototype
            factory.kept = factory.kept ?? factory.open
            factory.open = arguments[0] ? factory.kept : () => { throw new Error("the disk is full") }
            """, isAnswering)
    }
}
