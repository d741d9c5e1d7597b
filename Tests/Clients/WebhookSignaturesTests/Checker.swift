import Foundation

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
    static func verify(_ cases: [Case]) throws -> [[String: Bool]] {
        try run(cases).map { try JSONDecoder().decode([String: Bool].self, from: $0) }
    }

    static func sign(_ cases: [Case]) throws -> [String] {
        try run(cases).map { try JSONDecoder().decode([String: String].self, from: $0)["signature"] ?? "" }
    }

    private static func run(_ cases: [Case]) throws -> [Data] {
        let lines = try cases.map { String(decoding: try JSONEncoder().encode($0), as: UTF8.self) + "\n" }
        let output = try output(
            of: root.appending(path: "Infra/local/webhook-checkers").path, ["run"], input: Data(lines.joined().utf8))
        return output.split(separator: UInt8(ascii: "\n")).map { Data($0) }
    }

    /// The HMAC of a body in hexadecimal digits, by `openssl`.
    static func openSSL(_ digest: String, hexKey: String, body: String) throws -> String {
        let output = try output(
            of: "/usr/bin/openssl", ["dgst", "-\(digest)", "-mac", "HMAC", "-macopt", "hexkey:\(hexKey)"],
            input: Data(body.utf8))
        let text = String(decoding: output, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        return String(text.split(separator: " ").last ?? "")
    }

    private static func output(of path: String, _ arguments: [String], input: Data) throws -> Data {
        let process = Process()
        process.executableURL = URL(filePath: path)
        process.arguments = arguments
        let (stdin, stdout) = (Pipe(), Pipe())
        process.standardInput = stdin
        process.standardOutput = stdout
        try process.run()
        // Both are far smaller than a pipe holds.
        try stdin.fileHandleForWriting.write(contentsOf: input)
        try stdin.fileHandleForWriting.close()
        let output = try stdout.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw CheckerFailed(path: path) }
        return output
    }

    struct CheckerFailed: Error, CustomStringConvertible {
        let path: String
        var description: String { "\(path) failed; is it prepared? run: Infra/local/webhook-checkers prepare" }
    }
}
