import Crypto
import Foundation
import SimulationSupport
import Synchronization
import TestSupport
import Testing

/// The stacks that scenarios run on: one for all that leave it as they found it, and one of its own for each other.
actor BrowserStack {
    private static let shared = BrowserStack()
    private var running: ProcessStack?
    /// Each deletes a folder with settings when this process ends.
    private static let reapers = Mutex<[ResourceReaper]>([])

    /// Runs a scenario on the stack of all; its processes end with this process.
    ///
    /// One that fails may leave a part of it down, so the next scenario gets another.
    static func withShared(_ scenario: (ProcessStack) async throws -> Void) async throws {
        let stack = try await shared.started()
        do {
            try await scenario(stack)
        } catch {
            Issue.record("warnings and errors of the services:\n\(stack.recentWarnings)")
            await shared.discard()
            throw error
        }
    }

    /// Runs a scenario on a stack of its own, and stops it, also after an error.
    static func withOwn(
        alertingBrowsers: Bool = false, hasTiles: Bool = false, showsCouriers: Bool = false,
        _ scenario: (ProcessStack) async throws -> Void
    ) async throws {
        let stack = try await start(
            alertingBrowsers: alertingBrowsers, hasTiles: hasTiles, showsCouriers: showsCouriers)
        try await stack.whileUp { try await scenario(stack) }
    }

    private func started() async throws -> ProcessStack {
        if let running { return running }
        let stack = try await Self.start()
        running = stack
        return stack
    }

    private func discard() async {
        await running?.stop()
        running = nil
    }

    /// A file of plain map images around the store and the door of an open delivery, made with PyPI's pmtiles.
    private static var tiles: String {
        URL(filePath: #filePath).deletingLastPathComponent().appending(path: "town.pmtiles").path
    }

    private static func start(
        alertingBrowsers: Bool = false, hasTiles: Bool = false, showsCouriers: Bool = false
    ) async throws -> ProcessStack {
        let folder = FileManager.default.temporaryDirectory.appending(path: "browser-stack-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        // The services read these files when they start, again after each kill.
        let reaper = try ResourceReaper(folder: folder.path, stop: ["true"])
        reapers.withLock { $0.append(reaper) }
        let streets = folder.appending(path: "streets.geojson")
        try MadeUpStreets.geoJSON.write(to: streets, atomically: true, encoding: .utf8)
        var settings = ["DESK_STREETS_FILE": streets.path]
        if hasTiles {
            settings["DESK_TILES_FILE"] = tiles
            settings["ORDERS_TILES_FILE"] = tiles
        }
        if showsCouriers {
            settings["COURIERS_SHOWN_TO_CUSTOMERS"] = "*"
            settings["COURIERS_SHOWN_TO_FORWARDED"] = "*"
        }
        if alertingBrowsers {
            let key = folder.appending(path: "web-push.pem")
            try P256.Signing.PrivateKey().pemRepresentation.write(to: key, atomically: true, encoding: .utf8)
            settings["WEB_PUSH_KEY_FILE"] = key.path
            settings["WEB_PUSH_CONTACT"] = "mailto:push@nordhavn.example"
            settings["WEB_PUSH_HOSTS"] = "localhost"
        }
        return try await ProcessStack.start(rate: 1, settings: settings)
    }
}
