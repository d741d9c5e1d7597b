import APNsClient
import Crypto
import Foundation
import LiveActivity
import Logging
import ProcessSettings
import Testing
import WireCoding

@testable import ActivityDispatch

@Suite("Settings of pushes through Apple")
struct APNsSettingsTests {
    /// The settings, read from these variables beside a key's file.
    private func read(_ variables: [String: String], key: String? = nil) async throws -> APNsSettings? {
        var environment = variables
        let file = FileManager.default.temporaryDirectory.appending(path: "key-\(UUID().uuidString).p8")
        defer { try? FileManager.default.removeItem(at: file) }
        if let key {
            try key.write(to: file, atomically: true, encoding: .utf8)
            environment["APNS_KEY_FILE"] = file.path()
        }
        return try APNsSettings(
            reading: await readSettings(service: "activity-dispatch", arguments: [], environment: environment))
    }

    private let key = P256.Signing.PrivateKey().pemRepresentation
    private let whole = [
        "APNS_KEY_ID": "ABCDE12345", "APNS_TEAM_ID": "TEAM567890", "APNS_BUNDLE_ID": "shop.nordhavn.app",
    ]

    @Test("Without a key nothing is pushed through Apple; with one, and the ids, Apple's hosts are used")
    func whole() async throws {
        #expect(try await read([:]) == nil)
        let settings = try #require(try await read(whole, key: key))
        #expect(settings.bundleID.text == "shop.nordhavn.app")
        #expect(settings.client.productionURL == "https://api.push.apple.com")
        #expect(settings.client.sandboxURL == "https://api.sandbox.push.apple.com")
        #expect(settings.client.connections == 1 && settings.client.trustRootsFile == nil)
        let other = try #require(
            try await read(
                whole.merging([
                    "APNS_PRODUCTION_URL": "https://localhost:2197", "APNS_SANDBOX_URL": "https://localhost:2198",
                    "APNS_TRUST_ROOTS_FILE": "/ca.pem", "APNS_CONNECTIONS": "4",
                ]) { $1 }, key: key))
        #expect(other.client.productionURL == "https://localhost:2197")
        #expect(other.client.sandboxURL == "https://localhost:2198")
        #expect(other.client.trustRootsFile == "/ca.pem" && other.client.connections == 4)
    }

    @Test(
        "A setting that is missing or wrong is named, with what to do",
        arguments: [
            ("APNS_KEY_ID", nil, "apns.key.id"), ("APNS_TEAM_ID", nil, "apns.team.id"),
            ("APNS_BUNDLE_ID", nil, "apns.bundle.id"), ("APNS_KEY_ID", "short", "apns.key.id"),
            ("APNS_BUNDLE_ID", "shop.nordhavn.app.push-type.liveactivity", "apns.bundle.id"),
            ("APNS_CONNECTIONS", "9", "apns.connections"),
        ] as [(String, String?, String)])
    func wrong(variable: String, value: String?, name: String) async throws {
        var variables = whole
        variables[variable] = value
        await #expect {
            try await read(variables, key: key)
        } throws: { error in
            (error as? ConfigurationError)?.key == name
        }
    }

    @Test("A key that cannot be read, and ids without a key, stop the process with the setting's name")
    func unusableKey() async throws {
        for (variables, key) in [
            (whole, "not a key"), (whole, nil), (["APNS_CONNECTIONS": "2"], nil),
            (whole.merging(["APNS_KEY_FILE": "/nowhere.p8"]) { $1 }, nil),
        ] as [([String: String], String?)] {
            await #expect {
                try await read(variables, key: key)
            } throws: { error in
                (error as? ConfigurationError)?.key == "apns.key.file"
            }
        }
    }
}
