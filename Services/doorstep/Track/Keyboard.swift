import Foundation
import Synchronization

/// A key that was pressed.
enum Key: Hashable, Sendable {
    case character(Character)
    case up, down, pageUp, pageDown
    case enter, escape, backspace
    case tab, interrupt, other

    /// The keys in the bytes of one read of a terminal; an escape sequence is one key.
    static func parse(_ bytes: [UInt8]) -> [Key] {
        var keys: [Key] = []
        var rest = bytes[...]
        while let byte = rest.popFirst() {
            switch byte {
            case 0x03: keys.append(.interrupt)
            case 0x09: keys.append(.tab)
            case 0x0A, 0x0D: keys.append(.enter)
            case 0x08, 0x7F: keys.append(.backspace)
            case 0x1B: keys.append(sequence(&rest))
            case 0x20...0x7E: keys.append(.character(Character(UnicodeScalar(byte))))
            case 0xC2...0xF4: keys.append(character(byte, &rest))
            default: keys.append(.other)
            }
        }
        return keys
    }

    /// The key of an escape sequence, whose first byte was read; it ends with a letter or a tilde.
    private static func sequence(_ rest: inout ArraySlice<UInt8>) -> Key {
        guard rest.first == UInt8(ascii: "[") || rest.first == UInt8(ascii: "O") else {
            return rest.isEmpty ? .escape : .other
        }
        rest.removeFirst()
        var parameters: [UInt8] = []
        while let next = rest.popFirst() {
            guard (0x40...0x7E).contains(next) else {
                parameters.append(next)
                continue
            }
            switch (next, parameters) {
            case (UInt8(ascii: "A"), []): return .up
            case (UInt8(ascii: "B"), []): return .down
            case (UInt8(ascii: "~"), [UInt8(ascii: "5")]): return .pageUp
            case (UInt8(ascii: "~"), [UInt8(ascii: "6")]): return .pageDown
            default: return .other
            }
        }
        return .other
    }

    /// A character of more than one byte, such as æ, whose first byte was read.
    private static func character(_ first: UInt8, _ rest: inout ArraySlice<UInt8>) -> Key {
        var bytes = [first]
        let count = first < 0xE0 ? 1 : first < 0xF0 ? 2 : 3
        while bytes.count <= count, let next = rest.first, (0x80...0xBF).contains(next) {
            bytes.append(next)
            rest.removeFirst()
        }
        let text = String(bytes: bytes, encoding: .utf8)
        return text.flatMap { $0.count == 1 ? $0.first : nil }.map(Key.character) ?? .other
    }
}

/// Reads keys on a thread of its own, since a read blocks until the next key.
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
