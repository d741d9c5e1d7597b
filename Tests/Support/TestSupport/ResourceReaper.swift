import Foundation
import Glibc

/// A shell that stops a child and deletes its folder as soon as our end of a socket closes.
///
/// The kernel closes it however the test process ends, so a crashed run leaves nothing behind.
package final class ResourceReaper: Sendable {
    private let ourEnd: Int32

    /// - Parameters:
    ///   - folder: deleted in the end.
    ///   - stop: the command that stops the folder's processes; its failure is ignored.
    package init(folder: String, stop: [String]) throws {
        var ends: [Int32] = [0, 0]
        // A socket rather than a pipe, because it can be kept from our other children without a gap.
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, kind, 0, &ends) == 0 else {
            throw PrivatePostgres.ServerError(description: "making a socket pair: \(String(cString: strerror(errno)))")
        }
        defer { close(ends[0]) }
        ourEnd = ends[1]
        let script = #"trap "" INT TERM HUP; read -r _; folder=$1; shift; "$@"; rm -rf "$folder""#
        _ = try ChildProcess(
            "/bin/sh", ["-c", script, "reaper", folder] + stop, standardInput: ends[0],
            standardOutput: .discarded, standardError: .discarded)
    }

    deinit { close(ourEnd) }
}
