import Foundation

/// A server that a benchmark starts, and that ends with it, even where the benchmark is killed.
final class GuardedProcess {
    private let shell = Process()
    private let life = Pipe()

    /// - Parameter folder: removed when the server has ended.
    init(_ command: [String], folder: URL) throws {
        // The shell reads until the other end of the pipe is closed: then the benchmark has ended.
        let script = """
            folder=$1; shift; "$@" & server=$!
            trap 'kill -KILL $server; rm -rf "$folder"' EXIT; trap exit INT TERM; read -r _
            """
        shell.executableURL = URL(filePath: "/bin/sh")
        shell.arguments = ["-c", script, "sh", folder.path] + command
        shell.standardInput = life
        shell.standardOutput = FileHandle.nullDevice
        try shell.run()
    }

    /// Seconds of processor time that the server has used.
    var cpuSeconds: Double {
        ProcessUsage.children(of: shell.processIdentifier)
            .map { ProcessUsage.cpu(of: $0, withReaped: false) }.reduce(0, +)
    }

    func stop() {
        try? life.fileHandleForWriting.close()
        shell.waitUntilExit()
    }
}
