internal import NatsClient
internal import PostgresClient

/// An error that says what was being done and keeps what went wrong beneath.
package protocol ErrorWithCause: Error {
    var cause: any Error { get }
}

/// A handler's word that this message can never be taken, so that trying again is pointless.
package struct RejectedMessage: Error, CustomStringConvertible {
    package let description: String

    package init(_ reason: String) { description = reason }
}

/// A message that is not what its subject promises.
struct UndecodableMessage: Error, CustomStringConvertible {
    let description: String

    /// Says where it did not fit; quotes nothing of it.
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

/// Whose fault a failure was, which decides what becomes of the work.
package enum FailureKind: Hashable, Sendable {
    /// The message itself is bad: report it and go on.
    case badMessage
    /// Something we depend on is away: try again for as long as it takes.
    case dependency
    /// The work was interrupted by our own end.
    case interrupted
    /// The handler's own failure: try again a few times.
    case ours

    /// Sorts a handler's failure.
    package init(_ error: any Error) {
        switch error {
        case is UndecodableMessage, is RejectedMessage: self = .badMessage
        case is CancellationError: self = .interrupted
        case let error as PostgresError:
            self = error.code == .cancelled ? .interrupted : error.isOutage ? .dependency : .ours
        case let error as NatsError: self = error.isOutage ? .dependency : .ours
        case let error as any ErrorWithCause: self = FailureKind(error.cause)
        default: self = .ours
        }
    }
}

extension NatsError {
    /// True when the same call will succeed once the broker is well again, even if it was deleted and is being rebuilt.
    var isOutage: Bool {
        switch code {
        case .disconnected, .timedOut, .noResponders, .overloaded, .closed, .authenticationFailed, .notFound,
            .malformedAnswer, .other:
            true
        case .refused: isRetriable
        case .notPermitted, .invalidArgument, .payloadTooLarge: false
        }
    }

    /// True when no message at all gets through now, so that trying the next one is pointless.
    var isAboutConnection: Bool {
        switch code {
        case .disconnected, .timedOut, .overloaded, .closed, .authenticationFailed: true
        case .noResponders, .notFound, .malformedAnswer, .other, .refused, .notPermitted, .invalidArgument,
            .payloadTooLarge:
            false
        }
    }
}
