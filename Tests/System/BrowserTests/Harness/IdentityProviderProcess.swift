import BrowserSupport
import Foundation
import Glibc
import SimulationSupport
import TestSupport
import Testing

/// A real identity provider beside a stack, by which operators sign in at its desk.
struct IdentityProviderProcess: Sendable {
    let folder: String
    let port: Int
    private let process: ChildProcess

    /// The settings of a desk that uses the provider which listens on a port.
    static func settings(port: Int, folder: String) -> [String: String] {
        [
            "OIDC_ISSUER": "http://127.0.0.1:\(port)", "OIDC_CLIENT_ID": "desk",
            "OIDC_CLIENT_SECRET_FILE": "\(folder)/secret", "OIDC_GROUPS_VIEWER": "viewers",
            "OIDC_GROUPS_DISPATCHER": "dispatchers", "OIDC_GROUPS_SUPERVISOR": "supervisors",
        ]
    }

    /// Starts it, with the desk of a stack as its client, and returns when it answers.
    static func start(port: Int, folder: String, desk: String) async throws -> IdentityProviderProcess {
        let process = try ChildProcess(
            ProcessStack.root.appending(path: "Infra/local/identity-provider").path,
            ["run", folder, "\(port)", "\(desk)/sign-in/callback"], environment: ["PATH": ProcessStack.path],
            standardOutput: .discarded, standardError: .discarded)
        let address = "http://127.0.0.1:\(port)/.well-known/openid-configuration"
        try await eventually("the identity provider answers") { await RetryingClient.probe(address) == 200 }
        return IdentityProviderProcess(folder: folder, port: port, process: process)
    }

    func stop() async {
        await process.terminate()
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// Signs somebody in on its pages, which a desk has led to.
    func signIn(_ name: String, on page: BrowserPage) async throws {
        try await page.waitUntil("the provider asks who it is") { try await page.url.hasPrefix(address) }
        try await page.type(name, into: "[name=login]")
        try await page.press(.enter)
        try await page.waitUntil("it asks for a password") { try await !page.elements("[name=password]").isEmpty }
        try await page.type("\(name)-password", into: "[name=password]")
        try await page.press(.enter)
        try await page.waitUntil("it asks for consent, or leads back") {
            if try await !page.url.hasPrefix(address) { return true }
            return try await !page.elements("[name=answer][value=accept]").isEmpty
        }
        if try await page.url.hasPrefix(address) { try await page.click("[name=answer][value=accept]") }
        try await page.waitUntil("it leads back") { try await !page.url.hasPrefix(address) }
    }

    private var address: String { "http://127.0.0.1:\(port)" }
}
