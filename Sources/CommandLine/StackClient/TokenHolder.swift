package import CommandOutput
internal import Foundation

/// The holder of a command's token; tokens are read from files only.
package enum TokenHolder: String, CaseIterable, Sendable {
    case customer, `operator`, store, courier

    /// The environment variable with the path of the token's file.
    package var variable: String { "DOORSTEP_\(rawValue.uppercased())_TOKEN_FILE" }

    /// The path of the token's file; nil where the variable is not set, or set to nothing.
    package func path(in environment: [String: String]) -> String? {
        environment[variable].flatMap { $0.isEmpty ? nil : $0 }
    }

    /// - Throws: `CommandFailure` of kind not allowed when the file is not named, cannot be read or holds no token.
    package func token(environment: [String: String]) throws(CommandFailure) -> String {
        guard let path = self.path(in: environment) else {
            throw CommandFailure(
                .notAllowed, "no \(rawValue)'s token: set \(variable) to its file (make up writes .doorstep/stack.env)")
        }
        return try Self.token(ofFile: path, named: "\(rawValue)'s", by: variable)
    }

    /// The token that a file holds, with nothing but blanks and ends of lines around it.
    ///
    /// - Parameters:
    ///   - whose: the holder's possessive, for a failure.
    ///   - source: the variable or option that names the file, for a failure.
    /// - Throws: `CommandFailure` of kind not allowed where the file cannot be read, is empty or holds more.
    static func token(
        ofFile path: String, named whose: String, by source: String
    ) throws(CommandFailure) -> String {
        // The failure names the file and what names it; a missing and a forbidden file need the same check.
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
            throw CommandFailure(.notAllowed, "the \(whose) token cannot be read from \(path) (\(source))")
        }
        let token = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard !token.isEmpty else {
            throw CommandFailure(.notAllowed, "the file of the \(whose) token is empty: \(path) (\(source))")
        }
        guard !token.contains(where: \.isWhitespace) else {
            throw CommandFailure(
                .notAllowed, "the file of the \(whose) token has more than a token in it: \(path) (\(source))")
        }
        return token
    }
}
