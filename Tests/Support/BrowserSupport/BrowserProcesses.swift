import Dispatch
import Foundation
import Glibc

/// A driver's processes, and those of the browsers that it started.
///
/// Some leave the driver's group, and some write over their environment, but the command line of each has a path in the
/// folder that only they use.
struct BrowserProcesses: Sendable {
    let folder: String

    /// The running processes; a zombie has no command line.
    var ids: [Int32] {
        let entries = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return entries.compactMap { Int32($0) }.filter { id in
            let commandLine = FileManager.default.contents(atPath: "/proc/\(id)/cmdline") ?? Data()
            return String(decoding: commandLine, as: UTF8.self).contains(folder + "/")
        }
    }

    /// Kills all of them, and waits for their end.
    func kill9() async {
        // Again until none is left: one may be starting another.
        while true {
            let running = ids
            if running.isEmpty { return }
            for id in running { kill(id, SIGKILL) }
            // A sleep of a task would return at once where the task was cancelled; they are gone in a moment.
            await withCheckedContinuation { continuation in
                DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(5)) { continuation.resume() }
            }
        }
    }
}
