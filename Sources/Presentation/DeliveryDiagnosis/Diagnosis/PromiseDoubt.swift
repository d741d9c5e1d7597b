package import Foundation
package import OrderDomain
package import TimePresentation

/// Why a window cannot be kept that an operator is about to promise.
package enum PromiseDoubt: Hashable, Sendable {
    case passed
    /// The window ends before the earliest arrival of the estimate.
    case tooEarly(earliest: Date)

    /// Nil for a window that may be kept, as far as is known.
    ///
    /// - Parameters:
    ///   - estimate: the one that readers have; nil without one.
    ///   - now: domain time.
    package init?(_ promise: Promise, estimate: Estimate?, now: Date) {
        if promise.end <= now {
            self = .passed
        } else if let estimate, promise.end < estimate.earliest {
            self = .tooEarly(earliest: estimate.earliest)
        } else {
            return nil
        }
    }

    package func text(_ times: StoreTimes) -> String {
        switch self {
        case .passed: "this window has passed"
        case .tooEarly(let earliest):
            "this window ends before the earliest expected arrival, \(times.text(earliest))"
        }
    }
}
