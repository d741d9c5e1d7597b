import Foundation
import Synchronization

/// A key that was pressed.
enum Key: Hashable, Sendable {
    case character(Character)
    case tab, interrupt, other

    /// The keys in what one read of a terminal gave; an escape sequence is one key.
    static func parse(_ bytes: [UInt8]) -> [Key] {
        var keys: [Key] = []
        var rest = bytes[...]
        while let byte = rest.popFirst() {
            switch byte {
            case 0x03: keys.append(.interrupt)
            case 0x09: keys.append(.tab)
            case 0x1B:
                // The rest of a sequence ends with a letter or a tilde.
                if rest.first == UInt8(ascii: "[") || rest.first == UInt8(ascii: "O") {
                    rest.removeFirst()
                    while let next = rest.popFirst(), !(0x40...0x7E).contains(next) {}
                }
                keys.append(.other)
            case 0x20...0x7E: keys.append(.character(Character(UnicodeScalar(byte))))
            default: keys.append(.other)
            }
        }
        return keys
    }
}

/// Reads keys on a thread of its own, since a read blocks until somebody presses one.
final class Keyboard: Sendable {
    /// Keys that are buffered at most; of a stuck key the oldest are dropped.
    static let bufferedKeysMax = 32

    let keys: AsyncStream<Key>
    private let continuation: AsyncStream<Key>.Continuation
    private let isStopped = Mutex(false)

    init() {
        (keys, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(Self.bufferedKeysMax))
    }

    func start() {
        let thread = Thread { [self] in readUntilStopped() }
        thread.name = "doorstep-keyboard"
        thread.start()
    }

    /// Ends the stream of keys; the thread ends a moment later.
    func stop() {
        isStopped.withLock { $0 = true }
        continuation.finish()
    }

    private func readUntilStopped() {
        let pollMilliseconds: Int32 = 200
        var buffer = [UInt8](repeating: 0, count: 64)
        while !isStopped.withLock({ $0 }) {
            var descriptor = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
            guard poll(&descriptor, 1, pollMilliseconds) > 0 else { continue }
            let count = read(STDIN_FILENO, &buffer, buffer.count)
            guard count > 0 else { break }
            for key in Key.parse(Array(buffer[..<count])) { continuation.yield(key) }
        }
        continuation.finish()
    }
}
