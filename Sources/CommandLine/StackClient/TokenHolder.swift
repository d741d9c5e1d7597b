internal import CommandOutput
internal import Foundation

/// The holder of a command's token; tokens are read from files only.
package enum TokenHolder: String, CaseIterable, Sendable {
    case customer, `operator`, store, courier

    /// The environment variable with the path of the token's file.
    package var variable: String { "DOORSTEP_\(rawValue.uppercased())_TOKEN_FILE" }

    /// - Throws: `CommandFailure` of kind not allowed when the file is not named or cannot be read.
    package func token(environment: [String: String]) throws -> String {
        guard let path = environment[variable] else {
            throw CommandFailure(
                .notAllowed, "no \(rawValue)'s token: set \(variable) to its file (make up writes .doorstep/stack.env)")
        }
        // The failure names the file and its variable; a missing and a forbidden file need the same check.
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
            throw CommandFailure(.notAllowed, "the \(rawValue)'s token cannot be read from \(path) (\(variable))")
        }
        return text.trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
