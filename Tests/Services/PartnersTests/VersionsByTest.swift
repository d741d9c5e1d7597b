import Foundation
import Messages
import OrderDomain
import Synchronization
import WireCoding

/// What `orders` answers about versions that were missed, as the test has it.
final class VersionsByTest: Sendable {
    private struct State {
        var versions: [DeliveryChanged] = []
        var isAway = false
        var changesMax = Int.max
        var asked: [DeliveryVersionsQuestion] = []
    }

    private let state = Mutex(State())

    struct Away: Error {}

    /// What it has been asked, oldest first.
    var asked: [DeliveryVersionsQuestion] { state.withLock(\.asked) }

    /// Has these versions from now on, those before too.
    func keep(_ versions: [DeliveryChanged]) { state.withLock { $0.versions += versions } }

    func setAway(_ isAway: Bool) { state.withLock { $0.isAway = isAway } }

    /// - Parameter changesMax: in one answer.
    func cut(after changesMax: Int) { state.withLock { $0.changesMax = changesMax } }

    func answer(_ payload: [UInt8], _ subject: String) throws -> [UInt8] {
        let question = try WireJSON.decode(DeliveryVersionsQuestion.self, from: Data(payload))
        return try state.withLock { state in
            if state.isAway { throw Away() }
            state.asked.append(question)
            let kept = state.versions.filter {
                $0.delivery.id == question.delivery && question.versions?.contains($0.delivery.version) == true
            }
            let part = Array(kept.prefix(state.changesMax))
            return [UInt8](try WireJSON.encode(DeliveryVersions(part, isCut: part.count < kept.count)))
        }
    }
}
