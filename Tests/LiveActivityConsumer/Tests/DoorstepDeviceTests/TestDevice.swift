import Foundation
import LiveActivity
import Synchronization
import Testing

@testable import DoorstepDevice

/// 2026-11-21 18:00 in Copenhagen.
let sixPM = 1_795_280_400

/// A device with everything around it in a test's hands.
struct TestDevice: Sendable {
    let device: DoorstepDevice
    let phone: FakePhone
    let server: FakeServer
    let identities: Identities
    let pauses: Pauses
    let problems: Problems

    actor Identities: DeviceIdentityStore {
        private(set) var kept: DeviceIdentity?

        init(_ kept: DeviceIdentity?) { self.kept = kept }

        func load() -> DeviceIdentity? { kept }
        func save(_ identity: DeviceIdentity) { kept = identity }
    }

    /// How long was waited between attempts; nothing waits in truth.
    final class Pauses: Sendable {
        private let list = Mutex<[Duration]>([])

        var all: [Duration] { list.withLock { $0 } }
        func add(_ pause: Duration) { list.withLock { $0.append(pause) } }
    }

    final class Problems: Sendable {
        private let list = Mutex<[DoorstepProblem]>([])

        var all: [DoorstepProblem] { list.withLock { $0 } }
        func add(_ problem: DoorstepProblem) { list.withLock { $0.append(problem) } }
    }

    /// The phone's clock, which a test moves.
    final class PhoneClock: Sendable {
        private let elapsed = Mutex(0.25)

        var now: Date { elapsed.withLock { Date(timeIntervalSince1970: Double(sixPM) + $0) } }
        func advance(by seconds: Double) { elapsed.withLock { $0 += seconds } }
    }

    static func configuration() throws -> DeviceConfiguration {
        DeviceConfiguration(
            serverURL: URL(string: "https://cards.example")!, linkOrigins: [URL(string: "https://go.example")!],
            pushEnvironment: .sandbox, bundleID: "shop.nordhavn.app", appVersion: "7.1", osVersion: "17.2",
            locale: "da", timeZone: "Europe/Copenhagen", refreshInterval: nil)
    }

    /// Runs a device until `body` is done.
    ///
    /// - Parameter sleep: between attempts; by default it returns at once.
    static func run(
        phone: FakePhone = FakePhone(), server: FakeServer = FakeServer(),
        identity: DeviceIdentity? = DeviceIdentity(id: "phone"), refreshInterval: Duration? = nil,
        clock: PhoneClock = PhoneClock(),
        token: @escaping @Sendable () async throws -> String = { "customer-token" },
        sleep: @escaping @Sendable (Duration) async throws -> Void = { _ in },
        _ body: (TestDevice) async throws -> Void
    ) async throws {
        let identities = Identities(identity)
        let pauses = Pauses()
        let problems = Problems()
        var configuration = try configuration()
        configuration.refreshInterval = refreshInterval
        let device = DoorstepDevice(
            configuration, activities: phone, identities: identities, http: server,
            token: token, onProblem: { problems.add($0) },
            time: DeviceTime(
                now: { clock.now },
                sleep: {
                    pauses.add($0)
                    try await sleep($0)
                }, jitter: { 1 }))
        let running = Task { await device.run() }
        defer { running.cancel() }
        try await body(
            TestDevice(
                device: device, phone: phone, server: server, identities: identities, pauses: pauses,
                problems: problems))
    }

    /// A sleep that only its cancellation ends, and that yields as it begins.
    static func sleepUntilCancelled(
        _ continuation: AsyncStream<Void>.Continuation
    ) -> @Sendable (Duration) async throws -> Void {
        { _ in
            continuation.yield()
            for await _ in AsyncStream<Void>(unfolding: { try? await Task.sleep(for: .seconds(3600)) }) {
                try Task.checkCancellation()
            }
        }
    }

    /// Until the device has registered, sent what it shows, and asked what its cards should show.
    func launched() async throws {
        let hasLiveCards = phone.present().contains { $0.state.isLive }
        _ = try await server.next(.put, "/v1/devices/phone")
        _ = try await server.nextReports()
        if hasLiveCards { _ = try await server.next(.get, "/v1/devices/phone/wanted") }
    }
}

extension PhoneActivity {
    static func sample(
        _ instance: String, card: String? = "c-1", activity: String = "a-1", version: Int = 7, _ state: State = .active
    ) -> PhoneActivity {
        PhoneActivity(
            instance: instance, attributes: .sample(card: card, activity: activity),
            revision: Revision(version: version, step: 0), state: state)
    }
}

extension GroceryDeliveryAttributes {
    static func sample(card: String? = "c-1", activity: String = "a-1") -> GroceryDeliveryAttributes {
        GroceryDeliveryAttributes(
            card: card, activity: activity, delivery: "a", reference: "G-1042", store: "Nordhavn", bag: nil,
            itemCount: 18, promise: Window(from: sixPM, to: sixPM + 2700), timeZone: "Europe/Copenhagen")
    }
}

extension WantedBody.Activity {
    static func sample(
        _ activity: String, card: String? = nil, startAt: Int = sixPM - 60, version: Int = 3, timestamp: Int? = nil,
        schedule: WantedBody.Activity.Schedule? = nil
    ) -> WantedBody.Activity {
        WantedBody.Activity(
            activity: activity, card: card, startAt: startAt, attributes: .sample(card: nil, activity: activity),
            content: .init(
                headline: Phrase(code: "picking", values: ["store": "Nordhavn"], text: "Nordhavn is picking"),
                phase: .picking, progress: 0.2, revision: Revision(version: version, step: 0)),
            staleAt: sixPM + 600, relevance: 50, timestamp: timestamp, schedule: schedule)
    }
}
