import BrowserSupport
import Foundation
import PostgresClient
import SimulationSupport
import TestSupport
import Testing

extension BrowserTests {
    /// A stack whose people sign in at a provider, and a browser.
    private func withProvider(
        _ body: (ProcessStack, IdentityProviderProcess, Browser, PostgresPool) async throws -> Void
    ) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "identity-provider-\(UUID().uuidString)")
            .path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        // The desk reads it when it starts; the provider makes its own.
        try Data("not yet".utf8).write(to: URL(filePath: "\(folder)/secret"))
        let port = try freePort()
        let stack = try await ProcessStack.start(
            rate: 1, settings: IdentityProviderProcess.settings(port: port, folder: folder))
        try await withTeardown({ await stack.stop() }) {
            let provider = try await IdentityProviderProcess.start(port: port, folder: folder, desk: stack.url(.desk))
            try await withTeardown({ await provider.stop() }) {
                await stack.kill9(.desk)
                try await stack.start(.desk)
                try await withPool(stack.postgres.configuration) { pool in
                    try await Browser.run { browser in try await body(stack, provider, browser, pool) }
                }
            }
        }
    }

    @Test("People sign in at an identity provider, with the role of their group, and are where they wanted to be")
    func identityProvider() async throws {
        try await withProvider { stack, provider, browser, pool in
            let desk = stack.url(.desk)
            for (name, role) in [("vera", "viewer"), ("ada", "dispatcher"), ("sven", "supervisor")] {
                let page = try await browser.newPage()
                try await page.open("\(desk)/couriers")
                try await page.click("main button")
                try await provider.signIn(name, on: page)
                try await page.expect(".who", contains: "\(name), \(role)")
                #expect(try await page.url == "\(desk)/couriers")
                let cookie = try #require(try await page.cookies.first { $0.name == "desk" })
                #expect(cookie.httpOnly && cookie.sameSite == "Lax")

                // Half an hour later nobody is signed in any more, which an open board notices by itself.
                try await page.open(desk)
                try await pool.execute("UPDATE desk.sessions SET seen_at = seen_at - interval '30 minutes'")
                if role != "viewer" { try await page.reload() }
                try await page.waitUntil("the session has ended", within: .seconds(180)) {
                    try await page.url.contains("/sign-in?next=")
                }
                try await page.close()
            }
            let kim = try await browser.newPage()
            try await kim.open(desk)
            try await kim.click("main button")
            try await provider.signIn("kim", on: kim)
            try await kim.expect("main", contains: "kim is in none of the groups that may use the desk")
        }
    }

    @Test(
        "An answer of the provider's is taken once, in the browser that asked, with the verifier that it was asked with"
    )
    func forgedAnswers() async throws {
        try await withProvider { stack, provider, browser, pool in
            let desk = stack.url(.desk)
            let page = try await browser.newPage()
            try await page.open(desk)
            try await page.click("main button")
            try await page.waitUntil("an attempt is kept") {
                try await pool.query("SELECT 1 AS one FROM desk.sign_in_attempts").count == 1
            }
            try await pool.execute("UPDATE desk.sign_in_attempts SET verifier = repeat('A', 43)")
            try await provider.signIn("ada", on: page)
            try await page.expect("main", contains: "The identity provider refused it: invalid_grant")
            let used = try await page.url
            try await page.open(used)
            try await page.expect("main", contains: "belongs to no sign-in of this browser")

            // Another browser is given the address that this one was led back to, before it gets there.
            try await page.open(desk)
            try await page.click("main button")
            try await page.waitUntil("the provider knows ada, and leads back") {
                try await page.elements(".who").isEmpty == false
            }
            let other = try await browser.newPage()
            for address in [
                used, "\(desk)/sign-in/callback?state=x&code=y", "\(desk)/sign-in/callback?error=access_denied",
            ] {
                try await other.open(address)
                try await other.expect("[role=alert]")
                #expect(try await other.cookies.allSatisfy { $0.name != "desk" })
            }
        }
    }
}
