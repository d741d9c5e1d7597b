internal import Foundation

/// Why a command failed, with the exit code that scripts read.
package struct CommandFailure: Error, CustomStringConvertible {
    package enum Kind: Int32, CaseIterable, Sendable {
        case usage = 2
        case notFound = 3
        case notAllowed = 4
        case conflict = 5
        case unavailable = 6
        case interrupted = 130
    }

    package let kind: Kind
    package let message: String
    /// Whether the service may have carried the request out, as it has not answered whether it did.
    package let mayBeDone: Bool

    package init(_ kind: Kind, _ message: String, mayBeDone: Bool = false) {
        self.kind = kind
        self.message = message
        self.mayBeDone = mayBeDone
    }

    package var description: String { message }

    /// The exit code for an HTTP status of one of our services; nil for a success.
    package static func kind(ofStatus status: Int) -> Kind? {
        switch status {
        case 200..<300: nil
        // A redirect by a proxy, such as to a page to sign in: the service has done nothing, and no command follows it.
        case 300..<400: .unavailable
        case 401, 403: .notAllowed
        case 404, 410: .notFound
        // 422 is a change that is impossible from here: the caller may ask for another one.
        case 409, 412, 422: .conflict
        case 408, 429: .unavailable
        case 400..<500: .usage
        default: .unavailable
        }
    }

    /// Prints the failure on standard error, unless it is an interruption, and exits with its code.
    package static func exit(_ failure: CommandFailure) -> Never {
        if failure.kind != .interrupted { complain(failure.message) }
        Foundation.exit(failure.kind.rawValue)
    }

    /// Prints a message on standard error.
    package static func complain(_ message: String) {
        writeError("doorstep: \(message)")
    }
}
