import DeliveryDiagnosis
import Foundation

/// A service's refusal of a request, with its reason.
struct ServiceRefusal: Error, CustomStringConvertible, Sendable {
    let service: TimelineEvent.Source
    let status: Int
    /// The last part of the problem's type, such as `stale`.
    let slug: String
    /// The fault, in the service's words.
    let description: String

    /// The slug where a service cannot record that its personal data are read.
    static let unrecorded = "unrecorded"
}

/// A service did not answer.
struct ServiceUnavailable: Error, CustomStringConvertible, Sendable {
    let service: TimelineEvent.Source
    /// A clause without its subject: `does not answer`.
    let reason: String
    /// Domain time since when it does not; nil where it did answer.
    let since: Date?
    /// Whether the service may have carried a change out: false for a read, and where no connection was made.
    var mayBeDone = false

    var description: String { "\(service.rawValue) \(reason)" }
}
