import BrowserSupport
import TestSupport
import Testing

@Suite("A browser's processes", .tags(.integration), .timeLimit(.minutes(5)))
struct BrowserProcessTests {
    private struct Failure: Error {}

    @Test("None of them is left where a test throws")
    func failure() async throws {
        var started: Browser?
        await #expect(throws: Failure.self) {
            try await Browser.run { browser in
                started = browser
                _ = try await browser.newPage()
                #expect(browser.processIDs.count > 2)
                throw Failure()
            }
        }
        #expect(try #require(started).processIDs.isEmpty)
    }

    @Test("Two pages know nothing of one another, and each ends without the other")
    func pages() async throws {
        try await Browser.run { browser in
            let pages = [try await browser.newPage(), try await browser.newPage()]
            for (page, title) in zip(pages, ["first", "second"]) {
                try await page.open("data:text/html,<title>\(title)</title>")
            }
            #expect(try await pages[0].title == "first")
            try await pages[0].close()
            #expect(try await pages[1].title == "second")
        }
    }

    @Test("A page reaches no other machine")
    func network() async throws {
        try await Browser.run { browser in
            let page = try await browser.newPage()
            let error = await #expect(throws: WebDriverError.self) { try await page.open("https://doorstep.example/") }
            #expect(error?.message.contains("ERR_NAME_NOT_RESOLVED") == true)
        }
    }

    @Test("Where the driver is missing, the error names the packages to install")
    func missing() async throws {
        let error = await #expect(throws: Browser.Unavailable.self) {
            try await Browser.run(driver: "chromedriver-that-is-missing") { _ in }
        }
        #expect(error?.description.contains("apt-get install --no-install-recommends chromium chromium-driver") == true)
    }
}
