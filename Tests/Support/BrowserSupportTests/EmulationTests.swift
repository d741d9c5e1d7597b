import BrowserSupport
import Foundation
import TestSupport
import Testing

@Suite("What a browser emulates", .tags(.integration), .timeLimit(.minutes(5)))
struct EmulationTests {
    @Test("Without a network a request fails, and with it again one succeeds")
    func offline() async throws {
        try await Site.visit { page, origin, _ in
            try await page.open("\(origin)/form")
            let request = "return fetch('/fragment').then(answer => answer.status, () => null)"
            try await page.setOffline(true)
            #expect(try await page.execute(request, as: Int?.self) == nil)
            #expect(try await !page.execute("return navigator.onLine", as: Bool.self))
            try await page.setOffline(false)
            #expect(try await page.execute(request, as: Int?.self) == 200)
            #expect(try await page.execute("return navigator.onLine", as: Bool.self))
        }
    }

    @Test("Without scripts a page runs none, is read and used all the same, and runs them once they are on again")
    func scriptsOff() async throws {
        try await Site.visit { page, origin, _ in
            try await page.setScripts(enabled: false)
            try await page.open("\(origin)/form")
            #expect(try await page.text.contains("Without scripts"))
            try await page.element("#load").click()
            try await page.element("input").type("Bo")
            try await page.element("form button").click()
            try await page.waitUntil("the page greets") { try await page.element("#greeting").text == "Hello, Bo" }
            #expect(try await page.element("#list").text == "nothing")
            try await page.setScripts(enabled: true)
            try await page.reload()
            #expect(try await !page.text.contains("Without scripts"))
            try await page.element("#load").click()
            try await page.waitUntil("the list is loaded") { try await page.elements("#list li").count == 2 }
        }
    }

    @Test("A picture of a page is as wide as was asked for and as long as the page, and the page keeps its size")
    func screenshot() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "doorstep-pictures-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        try await Site.visit { page, origin, _ in
            try await page.open("\(origin)/form")
            let width = "return innerWidth"
            let own = try await page.execute(width, as: Int.self)
            let sizes = [ViewportSize(width: 320, height: 200), ViewportSize(width: 390, height: 844, isMobile: true)]
            for asked in sizes {
                let file = folder.appending(path: "\(asked.width)/form.png")
                try await page.screenshot(to: file, at: asked)
                let size = try #require(Self.size(ofPNG: try Data(contentsOf: file)))
                #expect(size.width == asked.width)
                #expect(asked.width == 320 ? size.height > 200 : size.height == 844)
                #expect(try await page.execute(width, as: Int.self) == own)
            }
            try await page.resize(to: ViewportSize(width: 320, height: 600))
            #expect(try await page.execute(width, as: Int.self) == 320)
            let wide = ViewportSize(width: 1_000, height: 600)
            try await page.screenshot(to: folder.appending(path: "wide.png"), at: wide)
            #expect(try await page.execute(width, as: Int.self) == 320)
        }
    }

    /// The first chunk has both numbers, most significant byte first.
    private static func size(ofPNG data: Data) -> (width: Int, height: Int)? {
        guard data.count > 24, data.prefix(4).elementsEqual([0x89, 0x50, 0x4E, 0x47]) else { return nil }
        func number(at offset: Int) -> Int { data.dropFirst(offset).prefix(4).reduce(0) { $0 << 8 | Int($1) } }
        return (number(at: 16), number(at: 20))
    }

    @Test("A page notices what its user's system prefers, until it no longer does")
    func preferences() async throws {
        try await Site.visit { page, origin, _ in
            try await page.open("\(origin)/form")
            let query = """
                return [matchMedia('(prefers-color-scheme: dark)').matches,
                    matchMedia('(prefers-reduced-motion: reduce)').matches]
                """
            #expect(try await page.execute(query, as: [Bool].self) == [false, false])
            try await page.prefer(.dark, .reducedMotion)
            #expect(try await page.execute(query, as: [Bool].self) == [true, true])
            try await page.prefer(.dark)
            #expect(try await page.execute(query, as: [Bool].self) == [true, false])
            try await page.prefer()
            #expect(try await page.execute(query, as: [Bool].self) == [false, false])
        }
    }

    @Test("Languages reach the server and the page's scripts, the best first")
    func languages() async throws {
        try await Site.visit { page, origin, site in
            try await page.setLanguages("da-DK", "da", "en")
            try await page.open("\(origin)/form")
            #expect(site.acceptedLanguages == ["da-DK,da;q=0.9,en;q=0.8"])
            #expect(try await page.execute("return navigator.languages", as: [String].self) == ["da-DK", "da", "en"])
        }
    }

    @Test("A page reads the position that was given")
    func position() async throws {
        try await Site.visit { page, origin, _ in
            try await page.setPosition(latitude: 55.7, longitude: 12.58, accuracy: 5)
            try await page.open("\(origin)/form")
            let script = """
                const done = arguments[arguments.length - 1];
                navigator.geolocation.getCurrentPosition(
                    ({ coords }) => done([coords.latitude, coords.longitude, coords.accuracy]), () => done([]));
                """
            #expect(try await page.executeAsync(script, as: [Double].self) == [55.7, 12.58, 5])
        }
    }
}
