import ArgumentParser
import CommandOutput
import Foundation

/// A provider's secret from a file or standard input: never from a flag, where other users of the machine could read it.
struct SecretFile: ParsableArguments {
    @Option(help: "A file with the secret that the provider made; - reads standard input. One is made without it.")
    var secretFile: String?

    /// Nil where no file is named.
    ///
    /// - Throws: `CommandFailure` of kind usage where it cannot be read, or has nothing in it.
    func secret() throws -> String? {
        guard let secretFile else { return nil }
        let data =
            secretFile == "-"
            ? FileHandle.standardInput.readDataToEndOfFile() : FileManager.default.contents(atPath: secretFile)
        guard let data else { throw CommandFailure(.usage, "\(secretFile) cannot be read") }
        let secret = String(decoding: data, as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        guard !secret.isEmpty else { throw CommandFailure(.usage, "there is no secret in \(secretFile)") }
        return secret
    }
}
