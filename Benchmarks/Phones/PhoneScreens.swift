import EmulatorAPI
import LiveActivity
import Synchronization

/// The emulated phones' screens, with the times of each change's answer and display.
final class PhoneScreens: Sendable {
    private struct State: Sendable {
        /// The newest version on a phone, by delivery.
        var versions: [String: Int] = [:]
        var indexes: [String: Int] = [:]
        var arrivals = ChangeLatencies(shown: [])
    }

    private let state = Mutex(State())

    /// Deliveries that are on a phone.
    var count: Int { state.withLock { $0.versions.count } }
    var arrivals: ChangeLatencies { state.withLock { $0.arrivals } }

    /// Counts from here on; `deliveries` are those of ``answer(_:version:dueAt:at:)``, by index.
    func begin(_ deliveries: [String]) {
        state.withLock { state in
            state.indexes = Dictionary(uniqueKeysWithValues: deliveries.enumerated().map { ($1, $0) })
            state.arrivals = ChangeLatencies(shown: deliveries.map { state.versions[$0] ?? 0 })
        }
    }

    func show(_ phone: EmulatedPhoneBody, at time: Instant) {
        state.withLock { state in
            for card in phone.cards {
                guard let delivery = card.attributes.delivery else { continue }
                let version = card.content.revision.version
                state.versions[delivery] = version
                if let index = state.indexes[delivery] { state.arrivals.show(index, version: version, at: time) }
            }
        }
    }

    func answer(_ delivery: Int, version: Int, dueAt: Instant, at time: Instant) {
        state.withLock { $0.arrivals.answer(delivery, version: version, dueAt: dueAt, at: time) }
    }
}
