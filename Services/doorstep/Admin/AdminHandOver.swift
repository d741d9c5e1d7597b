import CommandOutput
import Foundation

/// Replaces this process with `doorstep-admin` for the commands that need Postgres or NATS.
///
/// `doorstep` is built without their C libraries, so that customers, couriers and shops need not install them.
struct AdminHandOver: Sendable {
    static let executable = "doorstep-admin"

    /// The searched folders, in order: this executable's own, then those of `PATH`.
    let folders: [String]

    init(environment: [String: String] = ProcessInfo.processInfo.environment) {
        let own = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent().path
        folders = [own] + (environment["PATH"] ?? "").split(separator: ":").map(String.init)
    }

    /// Whether these arguments name a command of `doorstep-admin`.
    static func isNeeded(for arguments: [String]) -> Bool {
        switch arguments.first {
        case "admin", "demo": true
        case "help": isNeeded(for: Array(arguments.dropFirst()))
        case "eta":
            switch arguments.dropFirst().first {
            case "install": true
            case "train": arguments.contains("--from-history")
            default: false
            }
        default: false
        }
    }

    /// Runs `doorstep-admin` with the same arguments, environment and standard streams; its exit code is this process's.
    ///
    /// - Throws: `CommandFailure` of kind unavailable where it is not installed or cannot be run.
    func run(_ arguments: [String]) throws(CommandFailure) -> Never {
        let paths = folders.map { "\($0)/\(Self.executable)" }
        guard let path = paths.first(where: { FileManager.default.isExecutableFile(atPath: $0) }) else {
            throw CommandFailure(
                .unavailable,
                "doorstep \(arguments.prefix(2).joined(separator: " ")) needs \(Self.executable), which is not installed: "
                    + "install it beside doorstep or in PATH (it needs libpq and libnats)")
        }
        var argv = ([path] + arguments).map { strdup($0) } + [nil]
        execv(path, &argv)
        // Only a failure returns.
        throw CommandFailure(.unavailable, "\(path) cannot be run: \(String(cString: strerror(errno)))")
    }
}
