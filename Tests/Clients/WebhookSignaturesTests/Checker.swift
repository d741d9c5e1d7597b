import Foundation
import TestSupport

/// What signs and verifies webhooks and is not ours: `Infra/local/webhook-checkers`, and `openssl`.
enum Checker {
    struct Case: Encodable {
        enum Action: String, Encodable { case sign, verify }

        let `do`: Action
        let key: String
        let id: String
        let timestamp: String
        let body: String
        var signature = ""
    }

    private static let root = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../..").standardized

    /// - Returns: whether each of the libraries believes it, by its name.
    static func verify(_ cases: [Case]) async throws -> [[String: Bool]] {
        try await run(cases).map { try JSONDecoder().decode([String: Bool].self, from: $0) }
    }

    static func sign(_ cases: [Case]) async throws -> [String] {
        try await run(cases).map { try JSONDecoder().decode([String: String].self, from: $0)["signature"] ?? "" }
    }

    private static func run(_ cases: [Case]) async throws -> [Data] {
        let lines = try cases.map { String(decoding: try JSONEncoder().encode($0), as: UTF8.self) + "\n" }
        let output = try await output(
            of: root.appending(path: "Infra/local/webhook-checkers").path, ["run"], input: Data(lines.joined().utf8))
        return output.split(separator: UInt8(ascii: "\n")).map { Data($0) }
    }

    /// The HMAC of a body in hexadecimal digits, by `openssl`.
    static func openSSL(_ digest: String, hexKey: String, body: String) async throws -> String {
        let output = try await output(
            of: "/usr/bin/openssl", ["dgst", "-\(digest)", "-mac", "HMAC", "-macopt", "hexkey:\(hexKey)"],
            input: Data(body.utf8))
        let text = String(decoding: output, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        return String(text.split(separator: " ").last ?? "")
    }

    private static func output(of path: String, _ arguments: [String], input: Data) async throws -> Data {
        let (exit, output) = try await ChildProcess.run(path, arguments, input: input)
        guard exit == .code(0) else { throw CheckerFailed(path: path) }
        return output
    }

    struct CheckerFailed: Error, CustomStringConvertible {
        let path: String
        var description: String { "\(path) failed; is it prepared? run: Infra/local/webhook-checkers prepare" }
    }
}
