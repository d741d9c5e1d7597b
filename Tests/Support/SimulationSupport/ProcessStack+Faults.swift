import Foundation
import Glibc
import TestSupport

/// The faults of a stack's processes and files.
extension ProcessStack {
    /// The name of the broker's process.
    package static let broker = "nats"

    /// Sends a signal to a process by its name, without effect where it does not run.
    package func signal(_ name: String, _ signal: Int32) { processes[name]?.signal(signal) }

    /// Kills a process by its name, and returns when it has ended.
    package func kill9(named name: String) async { await processes.removeValue(forKey: name)?.kill9() }

    /// Asks a process by its name to end, and returns when it has.
    ///
    /// An exit code other than 0 is noted; one that is still starting may end by the signal itself.
    package func terminate(_ name: String) async {
        guard let process = processes.removeValue(forKey: name) else { return }
        let exit = await process.terminate()
        if exit != .code(0), exit != .signal(SIGTERM) { exits.append("\(name), asked to end: \(exit)") }
    }

    /// Asks the broker to end, and returns when it has; its store stays.
    package func terminateNats() async { await processes.removeValue(forKey: Self.broker)?.terminate() }

    /// Processes that ended without having been asked to, or not with 0 when they were.
    package var unexpectedExits: [String] { exits }

    /// The most memory that each running process has had resident, in KiB, by its name.
    package var peakMemory: [String: Int] {
        processes.compactMapValues { process in
            let text = (try? String(contentsOfFile: "/proc/\(process.processID)/status", encoding: .utf8)) ?? ""
            let line = text.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
            return line?.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap { Int($0) }
        }
    }

    /// The text of each process's log, by its name.
    package nonisolated var logs: [String: String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        let files = names.filter { $0.hasSuffix(".log") }
        return Dictionary(
            uniqueKeysWithValues: files.map { file in
                let data = FileManager.default.contents(atPath: "\(folder)/\(file)") ?? Data()
                return (String(file.dropLast(4)), String(decoding: data, as: UTF8.self))
            })
    }

    // MARK: The broker's store

    private static func isStopped(_ process: pid_t) -> Bool {
        let tasks = "/proc/\(process)/task"
        let threads = (try? FileManager.default.contentsOfDirectory(atPath: tasks)) ?? []
        return threads.allSatisfy { thread in
            // The state follows the name's closing bracket; a thread that has ended has no file.
            guard let status = try? String(contentsOfFile: "\(tasks)/\(thread)/stat", encoding: .utf8) else {
                return true
            }
            return status[(status.lastIndex(of: ")") ?? status.startIndex)...].hasPrefix(") T")
        }
    }

    private var store: String { "\(folder)/nats" }
    private var earlierStore: String { "\(folder)/nats-earlier" }

    /// Copies everything JetStream has stored aside, as it is at one moment: the broker is stopped meanwhile.
    package func copyBrokerStore() async throws {
        guard let broker = processes[Self.broker] else { return }
        broker.signal(SIGSTOP)
        defer { broker.signal(SIGCONT) }
        // A thread ends its call of the file system first.
        try await eventually("every thread of the broker stands still") { Self.isStopped(broker.processID) }
        try? FileManager.default.removeItem(atPath: earlierStore)
        try FileManager.default.copyItem(atPath: store, toPath: earlierStore)
    }

    /// Puts the copied store back, while the broker is down.
    ///
    /// - Parameter messagesOnly: whether consumers keep their present places, as a power cut may leave them.
    package func setBackBrokerStore(messagesOnly: Bool) throws {
        let files = FileManager.default
        guard messagesOnly else {
            try files.removeItem(atPath: store)
            try files.copyItem(atPath: earlierStore, toPath: store)
            return
        }
        let accounts = try files.contentsOfDirectory(atPath: "\(store)/jetstream")
        for account in accounts {
            let streams = "jetstream/\(account)/streams"
            for stream in try files.contentsOfDirectory(atPath: "\(store)/\(streams)") {
                let messages = "\(streams)/\(stream)/msgs"
                guard files.fileExists(atPath: "\(earlierStore)/\(messages)") else { continue }
                try files.removeItem(atPath: "\(store)/\(messages)")
                try files.copyItem(atPath: "\(earlierStore)/\(messages)", toPath: "\(store)/\(messages)")
            }
        }
    }
}
