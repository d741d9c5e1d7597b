package import Foundation
import Synchronization

/// Wall time that a test sets.
package final class WallTime: Sendable {
    private let moment: Mutex<Date>

    package init(_ start: Date = Date(timeIntervalSince1970: 1_795_000_000)) { moment = Mutex(start) }

    package var now: Date { moment.withLock { $0 } }

    package func advance(minutes: Double) { moment.withLock { $0 += minutes * 60 } }
}
