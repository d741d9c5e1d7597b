import CommandOutput
import Foundation

/// The exclusive right to a device's identity: two processes with one identity would end each other's stream
/// repeatedly.
///
/// The kernel releases the lock when the process ends in any way.
final class DeviceLock: Sendable {
    private let descriptor: Int32

    init(_ file: URL, device: String) throws {
        descriptor = open(file.path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw CommandFailure(.unavailable, "\(file.path) cannot be opened: \(String(cString: strerror(errno)))")
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            throw CommandFailure(
                .conflict,
                """
                another doorstep track is the device \(device) already. Close it, or be a device of your own with \
                --device NAME
                """)
        }
    }

    deinit { close(descriptor) }
}
