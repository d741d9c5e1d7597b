internal import NatsClient
internal import PostgresClient

/// Thrown by a handler for a message that can never be handled, so that a retry is pointless.
package struct RejectedMessage: Error, CustomStringConvertible {
    package let description: String

    package init(_ reason: String) { description = reason }
}

/// A message that cannot be decoded as its subject's type.
struct UndecodableMessage: Error, CustomStringConvertible {
    let description: String

    /// Names the place that did not fit; quotes nothing of the payload.
    init(_ error: any Error) {
        func place(_ context: DecodingError.Context) -> String {
            "at '\(context.codingPath.map(\.stringValue).joined(separator: "."))'"
        }
        description =
            switch error as? DecodingError {
            case .keyNotFound(let key, let context): "undecodable: no key '\(key.stringValue)' \(place(context))"
            case .valueNotFound(let type, let context): "undecodable: null for \(type) \(place(context))"
            case .typeMismatch(let type, let context): "undecodable: not a \(type) \(place(context))"
            case .dataCorrupted(let context): "undecodable: corrupt \(place(context))"
            case nil: "undecodable: \(type(of: error))"
            @unknown default: "undecodable"
            }
    }
}

/// The cause of a failure, which decides between dead letter, retry and redelivery.
package enum FailureKind: Hashable, Sendable {
    /// The message itself is bad: it becomes a dead letter.
    case badMessage
    /// A dependency is unavailable: retry without limit.
    case dependency
    /// The work was interrupted by our own shutdown.
    case interrupted
    /// The handler's own failure: retry a limited number of times.
    case ours

    /// Classifies a handler's failure.
    package init(_ error: any Error) {
        switch error {
        case is UndecodableMessage, is RejectedMessage: self = .badMessage
        case is CancellationError: self = .interrupted
        case let error as PostgresError:
            self = error.code == .cancelled ? .interrupted : error.isOutage ? .dependency : .ours
        case let error as NatsError: self = error.isOutage ? .dependency : .ours
        default: self = .ours
        }
    }
}

extension FailureKind {
    /// Whether one element of a batch may have caused the failure of all, so that each is to be handled alone.
    ///
    /// A statement time-out (SQLSTATE 57014) is a dependency's failure, and the work of one element may cause it.
    static func mayBeOfOneElement(_ error: any Error) -> Bool {
        switch FailureKind(error) {
        case .badMessage, .ours: true
        case .dependency: (error as? PostgresError).map { !$0.concernsAllRequests } ?? false
        case .interrupted: false
        }
    }
}

extension NatsError {
    /// True when the same call will succeed once the broker is available, even if it was deleted and is being rebuilt.
    var isOutage: Bool {
        switch code {
        case .disconnected, .timedOut, .noResponders, .overloaded, .closed, .authenticationFailed, .notFound,
            .malformedAnswer, .other:
            true
        case .refused: isRetriable
        case .notPermitted, .invalidArgument, .payloadTooLarge: false
        }
    }

    /// True when no message can be published now, so that trying the next one is pointless.
    var isAboutConnection: Bool {
        switch code {
        case .disconnected, .timedOut, .overloaded, .closed, .authenticationFailed: true
        case .noResponders, .notFound, .malformedAnswer, .other, .refused, .notPermitted, .invalidArgument,
            .payloadTooLarge:
            false
        }
    }
}
