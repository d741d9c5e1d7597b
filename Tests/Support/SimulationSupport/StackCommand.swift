import Foundation
import Glibc
package import TestSupport

/// The command line as a user runs it against a stack: with their own token alone.
///
/// A file keeps its standard output and standard error.
package struct StackCommand: Sendable {
    private let process: ChildProcess
    private let output: String

    package init(
        _ executable: String, _ arguments: [String], environment: [String: String], output: String
    ) throws {
        self.output = output
        process = try ChildProcess(
            executable, arguments, environment: environment, standardOutput: .file(output), standardError: .file(output)
        )
    }

    /// The command's output so far, line by line.
    package var lines: [String] {
        let text = (try? String(contentsOfFile: output, encoding: .utf8)) ?? ""
        return text.split(separator: "\n").map(String.init)
    }

    /// Waits until it has ended.
    package func wait() async -> ChildProcess.Exit { await process.wait() }

    /// Asks it to end, as Ctrl-C does, and waits until it has.
    @discardableResult
    package func interrupt() async -> ChildProcess.Exit {
        process.signal(SIGINT)
        return await process.wait()
    }
}

extension ProcessStack {
    /// Starts `doorstep` with a caller's token.
    ///
    /// - Parameters:
    ///   - name: of the run, for its files.
    ///   - tokenVariable: the setting that names the file of the token.
    package nonisolated func startCommand(
        _ arguments: [String], named name: String, token: String, as tokenVariable: String
    ) throws -> StackCommand {
        let tokenFile = "\(folder)/\(name).token"
        try Data(token.utf8).write(to: URL(filePath: tokenFile))
        var environment = base
        environment[tokenVariable] = tokenFile
        environment["XDG_STATE_HOME"] = "\(folder)/\(name)"
        environment.merge(urls(of: ServiceName.allCases, prefix: "DOORSTEP")) { $1 }
        let output = "\(folder)/\(name).out"
        return try StackCommand(Self.executable("doorstep"), arguments, environment: environment, output: output)
    }
}
