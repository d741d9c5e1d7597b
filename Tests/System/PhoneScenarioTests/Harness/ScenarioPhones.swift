import EmulatorAPI
import Foundation
import PhoneRules
import TestSupport

@testable import APNsEmulator

/// The phones behind the emulator, with their apps, which do something only when the test lets them.
actor ScenarioPhones {
    private struct App {
        let app: EmulatedApp
        let notices: AsyncStream<AppNotice>
        let inbox: AsyncStream<AppNotice>.Continuation?
        var memory = AppMemory()
    }

    let fleet: PhoneFleet
    private var apps: [String: App] = [:]

    init(fleet: PhoneFleet) { self.fleet = fleet }

    /// A notice that stands for the end of those that are there now.
    private static let end = AppNotice.state(instance: "-")

    func add(
        _ id: String, exchange: any AppExchange, change: @Sendable (inout NewEmulatedPhoneBody) -> Void = { _ in }
    ) async throws {
        var body = NewEmulatedPhoneBody(id: id, bundleID: "shop.nordhavn.app")
        body.serviceURL = "direct"
        body.customerToken = "direct"
        change(&body)
        guard fleet.add(try body.phone(at: fleet.clock.now)) == .added else { return }
        for await start in fleet.apps {
            apps[id] = App(
                app: EmulatedApp(phone: id, fleet: fleet, service: exchange, logger: .silent), notices: start.notices,
                inbox: try fleet.phone(id).inbox)
            break
        }
    }

    /// Lets the apps of these phones do what their notices are worth.
    ///
    /// - Returns: how many notices there were.
    func runApps(_ ids: Set<String>) async throws -> Int {
        var count = 0
        for id in ids.sorted() {
            guard var app = apps[id] else { continue }
            app.inbox?.yield(Self.end)
            for await notice in app.notices {
                if notice == Self.end { break }
                count += 1
                do {
                    try await app.app.handle(notice, &app.memory)
                } catch {
                    app.memory.isRegistered = false
                }
            }
            apps[id] = app
        }
        return count
    }

    /// Ends an app's process: what it kept in memory is gone, but for the device's secret.
    ///
    /// - Parameter isForced: whether its person does, so that no start launches it again.
    func kill(_ id: String, isForced: Bool = false) throws {
        try fleet.change(id) { isForced ? $0.forceQuitApp(at: $1) : $0.killApp(at: $1) }
        let secret = apps[id]?.memory.secret
        apps[id]?.memory = AppMemory()
        apps[id]?.memory.secret = secret
    }
}
