import Foundation

/// Whose token a command speaks with; tokens come from files only.
enum Person: String, CaseIterable, Sendable {
    case customer, `operator`, store, courier

    var variable: String { "DOORSTEP_\(rawValue.uppercased())_TOKEN_FILE" }

    func token(environment: [String: String]) throws -> String {
        guard let path = environment[variable] else {
            throw CommandFailure(
                .notAllowed, "no \(rawValue)'s token: set \(variable) to its file (make up writes .doorstep/stack.env)")
        }
        guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
            throw CommandFailure(.notAllowed, "the \(rawValue)'s token cannot be read from \(path) (\(variable))")
        }
        return text.trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
