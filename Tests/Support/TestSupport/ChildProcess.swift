import Dispatch
package import Foundation
import Glibc

/// Another program, started with `posix_spawn`, in a process group of its own, so that it does not get our Ctrl-C.
package final class ChildProcess: Sendable {
    /// The destination of one of the program's outputs.
    package enum Output: Sendable {
        case inherited
        case discarded
        /// Appended to the file at this path.
        case file(String)
    }

    /// The program's end.
    package enum Exit: Equatable, Sendable {
        case code(Int32)
        case signal(Int32)
    }

    /// The program that could not be started, and the system's reason.
    package struct SpawnError: Error, CustomStringConvertible {
        package let description: String
    }

    /// More than a test process ever has open; the limit of the system may be a million.
    private static let descriptorsMax: Int32 = 4_096

    package let processID: Int32
    private let exit: Task<Exit, Never>

    /// Starts the program.
    ///
    /// - Parameters:
    ///   - executable: a path, or a name in `PATH`.
    ///   - environment: the whole environment; nil copies this process's.
    ///   - standardInput: a descriptor for it to read from; nil is the empty file.
    package init(
        _ executable: String, _ arguments: [String] = [], environment: [String: String]? = nil,
        standardInput: Int32? = nil, standardOutput: Output = .inherited, standardError: Output = .inherited
    ) throws {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        if let standardInput {
            posix_spawn_file_actions_adddup2(&actions, standardInput, 0)
        } else {
            posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        }
        for (descriptor, output) in [(Int32(1), standardOutput), (2, standardError)] {
            switch output {
            case .inherited: break
            case .discarded: posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_WRONLY, 0)
            case .file(let path):
                posix_spawn_file_actions_addopen(&actions, descriptor, path, O_WRONLY | O_CREAT | O_APPEND, 0o644)
            }
        }
        // A copy of a socket in a server that lives on would keep its connection open after this process closed it.
        // Closing what is not open is no error of these actions, but what is beyond the limit would be one.
        for descriptor in 3..<min(getdtablesize(), Self.descriptorsMax) {
            posix_spawn_file_actions_addclose(&actions, descriptor)
        }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var noSignals = sigset_t()
        sigemptyset(&noSignals)
        var allSignals = sigset_t()
        sigfillset(&allSignals)
        // The program starts with default signal handling, whatever this process blocks or ignores.
        posix_spawnattr_setsigmask(&attributes, &noSignals)
        posix_spawnattr_setsigdefault(&attributes, &allSignals)
        posix_spawnattr_setpgroup(&attributes, 0)
        posix_spawnattr_setflags(
            &attributes, Int16(POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))

        let environment = environment ?? ProcessInfo.processInfo.environment
        var argumentCopies = ([executable] + arguments).map { strdup($0) } + [nil]
        var environmentCopies = environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for copy in argumentCopies + environmentCopies { free(copy) } }
        var processID: pid_t = 0
        let status = posix_spawnp(
            &processID, executable, &actions, &attributes, &argumentCopies, &environmentCopies)
        guard status == 0 else {
            throw SpawnError(description: "starting \(executable): \(String(cString: strerror(status)))")
        }
        self.processID = processID
        // Every child has a task that reaps it, whether or not `wait` is called.
        exit = Task { [processID] in
            await withCheckedContinuation { continuation in
                DispatchQueue(label: "child-\(processID)").async { continuation.resume(returning: reap(processID)) }
            }
        }
    }

    /// Waits until the program has ended.
    @discardableResult
    package func wait() async -> Exit { await exit.value }

    /// Whether it has not ended; true from the beginning, when its command line cannot be read yet.
    package var isRunning: Bool { kill(processID, 0) == 0 }

    /// Sends a signal; without effect when the program has ended, unless its number was given to another since.
    package func signal(_ signal: Int32) { kill(processID, signal) }

    /// Kills the program, and waits for its end.
    package func kill9() async {
        signal(SIGKILL)
        await wait()
    }

    /// Asks the program to end, and waits until it has.
    @discardableResult
    package func terminate() async -> Exit {
        signal(SIGTERM)
        return await wait()
    }

    /// Runs a program to its end and returns all it wrote to both outputs.
    package static func run(
        _ executable: String, _ arguments: [String] = [], environment: [String: String]? = nil
    ) async throws -> (exit: Exit, output: String) {
        let file = "/tmp/doorstep-output-\(UUID().uuidString)"
        defer { unlink(file) }
        let child = try ChildProcess(
            executable, arguments, environment: environment, standardOutput: .file(file), standardError: .file(file))
        let exit = await child.wait()
        return (exit, (try? String(contentsOfFile: file, encoding: .utf8)) ?? "")
    }

    /// Runs a program to its end, and returns all it wrote to its standard output.
    ///
    /// - Parameter input: all that it reads, in a file: a pipe holds less.
    package static func run(
        _ executable: String, _ arguments: [String] = [], input: Data
    ) async throws -> (exit: Exit, output: Data) {
        let folder = FileManager.default.temporaryDirectory.appending(path: "doorstep-run-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: folder) }  // A temporary folder that is left is harmless.
        let (read, written) = (folder.appending(path: "input"), folder.appending(path: "output"))
        try input.write(to: read)
        let handle = try FileHandle(forReadingFrom: read)
        let child = try ChildProcess(
            executable, arguments, standardInput: handle.fileDescriptor, standardOutput: .file(written.path))
        try handle.close()
        let exit = await child.wait()
        return (exit, try Data(contentsOf: written))
    }
}

private func reap(_ processID: pid_t) -> ChildProcess.Exit {
    var status: Int32 = 0
    while waitpid(processID, &status, 0) < 0, errno == EINTR {}
    // WIFSIGNALED, WTERMSIG and WEXITSTATUS are macros, which are not imported; see waitstatus.h.
    let signal = status & 0x7f
    return signal == 0 ? .code((status >> 8) & 0xff) : .signal(signal)
}
