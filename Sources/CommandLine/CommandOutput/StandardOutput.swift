internal import Foundation
internal import Synchronization

/// Writes a line to standard output, unbuffered.
///
/// A failed write ends the process, since further output would be lost: as SIGPIPE would where the reader has closed
/// the pipe, and with an error message otherwise, as on a full disk.
package func writeLine(_ line: String) { writeOutput(line + "\n") }

/// Writes JSON as a line to standard output, at once.
///
/// Characters that could steer a terminal are written as escapes, which are the same to every reader of JSON.
package func writeJSON(_ bytes: some Sequence<UInt8>) {
    writeLine(String(decoding: Array(bytes), as: UTF8.self).jsonSafeOnTerminal)
}

/// Writes text to standard output, at once; where it cannot be written the process ends, as with ``writeLine(_:)``.
package func writeOutput(_ text: String) {
    // One text at a time, even when a text needs several writes.
    let failure = outputOwner.withLock { _ in writeAll(Array(text.utf8)) }
    guard let failure else { return }
    // 128 and SIGPIPE: a shell's exit code for a process ended by the signal, which networking ignores.
    if failure == EPIPE { exit(128 + SIGPIPE) }
    CommandFailure.exit(
        CommandFailure(.unavailable, "the output could not be written: \(String(cString: strerror(failure)))"))
}

private let outputOwner = Mutex(())

/// - Returns: the system's reason where not all could be written.
private func writeAll(_ bytes: [UInt8]) -> Int32? {
    bytes.withUnsafeBytes { buffer in
        guard let start = buffer.baseAddress else { return nil }
        var written = 0
        while written < buffer.count {
            let count = write(STDOUT_FILENO, start + written, buffer.count - written)
            if count >= 0 {
                written += count
            } else if errno == EAGAIN {
                var output = pollfd(fd: STDOUT_FILENO, events: Int16(POLLOUT), revents: 0)
                _ = poll(&output, 1, -1)
            } else if errno != EINTR {
                return errno
            }
        }
        return nil
    }
}
