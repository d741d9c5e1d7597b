package import Foundation
internal import TextCoding
internal import WireCoding

/// The keys of a file of lines `id:hex`: every key verifies or decrypts, one signs or encrypts.
///
/// `2:hex standby` is a key that a rotation added and that does not sign yet; `1:hex retired 2026-11-21T18:24:00.000Z`
/// is one that no longer does.
package struct NumberedKeys: Hashable, Sendable {
    package enum Stage: Hashable, Sendable {
        case standby, inUse
        /// Since when another key signs, wall time.
        case retired(Date)
    }

    package struct Key: Hashable, Sendable {
        package let id: UInt8
        package let bytes: [UInt8]
        package var stage: Stage

        package init(id: UInt8, bytes: [UInt8], stage: Stage) {
            self.id = id
            self.bytes = bytes
            self.stage = stage
        }
    }

    /// In the order of the file's lines; each id once.
    package var keys: [Key]

    /// Nil where a line has another form, or an id comes twice.
    package init?(text: String) {
        keys = []
        for line in text.split(whereSeparator: \.isNewline) {
            guard let key = Key(line: line), !keys.contains(where: { $0.id == key.id }) else { return nil }
            keys.append(key)
        }
    }

    /// The file's text.
    package var text: String { keys.map { $0.line + "\n" }.joined() }

    /// The bytes of every key by its id.
    package var bytes: [UInt8: [UInt8]] {
        keys.reduce(into: [:]) { bytes, key in bytes[key.id] = key.bytes }
    }

    /// The ids of the keys that another one has replaced.
    package var retired: Set<UInt8> {
        Set(keys.compactMap { if case .retired = $0.stage { $0.id } else { nil } })
    }

    /// The id of the key that signs: the highest in use; nil where none is in use.
    package var signing: UInt8? { keys.filter { $0.stage == .inUse }.map(\.id).max() }
}

extension NumberedKeys.Key {
    init?(line: Substring) {
        let words = line.split(separator: " ")
        let parts = words.first?.split(separator: ":") ?? []
        guard parts.count == 2, let id = UInt8(parts[0]), let bytes = Hexadecimal.decode(parts[1]) else { return nil }
        switch words.dropFirst().map(String.init) {
        case []:
            self.init(id: id, bytes: bytes, stage: .inUse)
        case ["standby"]:
            self.init(id: id, bytes: bytes, stage: .standby)
        case let notes where notes.count == 2 && notes[0] == "retired":
            guard let since = WireJSON.date(from: notes[1]) else { return nil }
            self.init(id: id, bytes: bytes, stage: .retired(since))
        default:
            return nil
        }
    }

    fileprivate var line: String {
        let digits = Hexadecimal.encode(bytes)
        return switch stage {
        case .inUse: "\(id):\(digits)"
        case .standby: "\(id):\(digits) standby"
        case .retired(let since): "\(id):\(digits) retired \(WireJSON.text(of: since))"
        }
    }
}
