import ArgumentParser
import Foundation

/// Why a command could not do what it was asked, with the exit code that scripts read.
struct CommandFailure: Error, CustomStringConvertible {
    enum Kind: Int32, CaseIterable {
        case usage = 2
        case notFound = 3
        case notAllowed = 4
        case conflict = 5
        case unavailable = 6
        case interrupted = 130
    }

    let kind: Kind
    let message: String

    init(_ kind: Kind, _ message: String) {
        self.kind = kind
        self.message = message
    }

    var description: String { message }

    /// What an answer of one of our services means for the exit code; nil for a success.
    static func kind(ofStatus status: Int) -> Kind? {
        switch status {
        case 200..<400: nil
        case 401, 403: .notAllowed
        case 404, 410: .notFound
        // 422 is a change that is impossible from here: the caller may ask for another one.
        case 409, 412, 422: .conflict
        case 408, 429: .unavailable
        case 400..<500: .usage
        default: .unavailable
        }
    }

    /// Says on standard error what went wrong, and leaves with its code.
    static func exit(_ error: any Error) -> Never {
        if let failure = error as? CommandFailure {
            if failure.kind != .interrupted { complain(failure.message) }
            Foundation.exit(failure.kind.rawValue)
        }
        if error is CancellationError { Foundation.exit(Kind.interrupted.rawValue) }
        let code = DoorstepCommand.exitCode(for: error)
        guard code.isSuccess || code == .validationFailure else {
            complain("\(error)")
            Foundation.exit(Kind.unavailable.rawValue)
        }
        // Help and version are printed by the parser; mistakes in flags are ours to number.
        let text = DoorstepCommand.fullMessage(for: error)
        if code.isSuccess {
            print(text)
            Foundation.exit(0)
        }
        FileHandle.standardError.write(Data((text + "\n").utf8))
        Foundation.exit(Kind.usage.rawValue)
    }

    static func complain(_ message: String) {
        FileHandle.standardError.write(Data("doorstep: \(message)\n".utf8))
    }
}
