import BrowserSupport
import NIOHTTP1
import OrderDomain
import SimulationSupport
import Testing

/// A courier's link that is taken back while the page is closed.
extension BrowserTests {
    @Test("What a closed courier's page has not sent leaves the browser once its link is revoked and opened")
    func revokedUnsent() async throws {
        try await OpenDelivery.run(requires: [.photo]) { delivery in
            let courier = try await CourierOfDelivery(atDoorOf: delivery)
            let page = courier.page
            try await page.setOffline(true)
            try await courier.give(.photo)
            try await courier.expect("Not sent yet: a photo of the bag")
            #expect(try await page.kept().count >= 2, "the queue, and the picture")

            try await page.open("about:blank")
            try await page.setOffline(false)
            _ = try await delivery.stack.asOperator.exchange(
                .DELETE, .orders, "/v1/couriers/\(delivery.courier)/link")
            try await page.open(courier.link)
            try await courier.expect("taken this link back")
            try await page.waitUntil("the browser keeps nothing of it") { try await page.kept().isEmpty }
        }
    }

    @Test("What another link's page has not sent for twelve hours leaves the browser with a courier's page")
    func formerUnsent() async throws {
        try await OpenDelivery.run { delivery in
            let courier = try await CourierOfDelivery(of: delivery)
            try await courier.open()
            let page = courier.page
            try await page.keepUnsent(of: "former", hours: 13)
            try await page.keepUnsent(of: "recent", hours: 11)
            #expect(try await page.kept().count == 4)
            try await page.reload()
            try await page.waitUntil("the browser keeps what is recent alone") {
                try await page.kept().sorted() == ["doorstep-presses /c/recent", "recent-photo"]
            }
            try await delivery.expectSilentConsole(page)
        }
    }
}

extension BrowserPage {
    /// Has the browser keep a photo that another link's page has not sent since so many hours.
    fileprivate func keepUnsent(of link: String, hours: Int) async throws {
        let isKept = try await executeAsync(
            """
            const [link, hours, answer] = arguments, id = link + "-photo"
            const photo = { id, delivery: link, proof: "photo", label: "a photo", at: Date.now() - hours * 3600000 }
            localStorage.setItem("doorstep-presses /c/" + link, JSON.stringify([photo]))
            window.doorstepPictures.keep(id, new Blob(["a photo"])).then(() => answer(true))
            """, link, hours, as: Bool.self)
        #expect(isKept)
    }

    /// What the pages' scripts have stored: names of texts, and ids of pictures.
    fileprivate func kept() async throws -> [String] {
        try await executeAsync(
            """
            const [answer] = arguments, opening = indexedDB.open("doorstep", 1)
            opening.onerror = () => answer(["no database"])
            opening.onsuccess = () => {
                const asked = opening.result.transaction("pictures").objectStore("pictures").getAllKeys()
                asked.onsuccess = () => {
                    opening.result.close()
                    answer([...Object.keys(localStorage), ...asked.result])
                }
            }
            """, as: [String].self)
    }
}
