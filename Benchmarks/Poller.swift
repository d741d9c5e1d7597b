import CEpoll
import Dispatch
import Glibc

/// A moment of the machine's steady clock, in nanoseconds.
typealias Instant = UInt64

/// The machine's steady clock.
func now() -> Instant { DispatchTime.now().uptimeNanoseconds }

extension Instant {
    static let second: Instant = 1_000_000_000
    static let millisecond: Instant = 1_000_000

    static func seconds(_ seconds: Double) -> Instant { Instant(seconds * 1e9) }

    var inMilliseconds: Double { Double(self) / 1e6 }
    var inSeconds: Double { Double(self) / 1e9 }
}

/// A call of the C library that failed.
struct SystemFailure: Error, CustomStringConvertible {
    let description: String

    init(_ doing: String, _ code: Int32 = errno) {
        description = "\(doing): \(String(cString: strerror(code)))"
    }
}

/// Waits for many sockets on one thread, so that the load costs the machine as little as it can.
final class Poller {
    private static let readyMax = 256

    private let descriptor: Int32
    private var ready = [epoll_event](repeating: epoll_event(), count: readyMax)

    init() throws {
        descriptor = epoll_create1(0)
        guard descriptor >= 0 else { throw SystemFailure("epoll_create1") }
    }

    deinit { close(descriptor) }

    func add(_ socket: Int32, id: Int) throws {
        var event = epoll_event()
        event.events = EPOLLIN.rawValue
        event.data.u64 = UInt64(id)
        guard epoll_ctl(descriptor, EPOLL_CTL_ADD, socket, &event) == 0 else { throw SystemFailure("epoll_ctl") }
    }

    /// The ids of the sockets that can be read, waiting for the first until `deadline`.
    func wait(until deadline: Instant) throws -> [Int] {
        let present = now()
        // Rounded down to whole milliseconds, so that nothing is late; the last one is spent asking again.
        let milliseconds = deadline > present ? (deadline - present) / .millisecond : 0
        let count = epoll_wait(descriptor, &ready, Int32(Self.readyMax), Int32(min(milliseconds, 1_000)))
        guard count >= 0 else {
            if errno == EINTR { return [] }
            throw SystemFailure("epoll_wait")
        }
        return ready[..<Int(count)].map { Int($0.data.u64) }
    }
}
