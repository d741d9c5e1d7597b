internal import Foundation

/// A JSON text in progress: its bytes, and the open objects and arrays.
///
/// Values are written in order, one after the other. Members of an object written in another order than that of their
/// keys are sorted when the object is closed.
///
/// One task uses the output, within one `encode`, and nothing changes during a read: a check at each access would cost
/// a third of the time.
final class JSONOutput {
    enum Kind { case object, array }

    /// An object or an array, for the containers that write into it.
    struct Place {
        let kind: Kind
        /// Objects and arrays around it.
        let depth: Int
        /// Unique among the places.
        let number: Int
    }

    private struct Frame {
        let kind: Kind
        let number: Int
        /// The index of its first member in `members`.
        let firstMember: Int
        /// The index of the byte after its bracket.
        let start: Int
        /// Whether each key so far comes after the one before it.
        var isSorted = true
    }

    /// A member of an object: where it begins in the bytes, with the quote of its key, and where it ends.
    private struct Member {
        let start: Int
        /// Without its quotes, of which the last would come before some characters and after others.
        let key: Range<Int>
        /// Known when the object is closed.
        var end = 0
    }

    @exclusivity(unchecked) private(set) var bytes: [UInt8] = []
    @exclusivity(unchecked) private var frames: [Frame] = []
    @exclusivity(unchecked) private var members: [Member] = []
    /// The members of the object that is sorted, in their order; kept for the next one.
    @exclusivity(unchecked) private var sorted: [UInt8] = []
    /// An encoder that no value writes by; kept for the next one.
    @exclusivity(unchecked) private var spare: ValueEncoder?
    @exclusivity(unchecked) private var framesOpened = 0
    /// Values begun and not yet written.
    @exclusivity(unchecked) private var valuesMissing = 1
    @exclusivity(unchecked) private var isGivenUp = false
    private let dateText: ((Date) -> String)?

    init(dateText: ((Date) -> String)?) {
        self.dateText = dateText
        bytes.reserveCapacity(1_024)
    }

    /// Whether the bytes are the whole value.
    var isComplete: Bool { !isGivenUp && frames.isEmpty && valuesMissing == 0 }

    /// Releases the spare encoder, which refers to the output.
    func finish() { spare = nil }

    /// Leaves the value to `JSONEncoder`.
    func giveUp() { isGivenUp = true }

    /// Falls back to `JSONEncoder`, as an error to throw.
    func unsupported() -> Unsupported {
        giveUp()
        return Unsupported()
    }

    // MARK: Values

    /// Writes a value with all that is in it.
    func write<Value: Encodable>(_ value: Value) throws {
        if Value.self == Date.self, let dateText, let date = value as? Date {
            append(dateText(date))
        } else if Value.self == Data.self, let data = value as? Data {
            append(data.base64EncodedString())
        } else if Value.self == URL.self, let url = value as? URL {
            append(url.absoluteString)
        } else if Value.self == Decimal.self {
            throw unsupported()
        } else {
            let depth = frames.count
            let missing = valuesMissing
            var encoder = spare.take() ?? ValueEncoder(output: self)
            do { try value.encode(to: encoder) } catch {
                // A type may catch the error, and the written part of the value would stay.
                giveUp()
                throw error
            }
            // A type may keep its encoder, and write later.
            if !isGivenUp, isKnownUniquelyReferenced(&encoder) {
                encoder.reset()
                spare = encoder
            }
            close(to: depth)
            // A value that wrote nothing is an empty object within another, and an error by itself.
            guard valuesMissing == missing - 1 else { throw unsupported() }
        }
    }

    func appendNull() { append(word: "null") }

    func append(_ value: Bool) { append(word: value ? "true" : "false") }

    func append(integer value: some BinaryInteger) { append(unquoted: value.description) }

    func append(_ value: Double) throws {
        guard value.isFinite else { throw unsupported() }
        var text = value.description
        if text.hasSuffix(".0") { text.removeLast(2) }
        append(unquoted: text)
    }

    func append(_ value: String) {
        valuesMissing -= 1
        appendQuoted(value)
    }

    private func append(unquoted text: String) {
        valuesMissing -= 1
        bytes.append(contentsOf: text.utf8)
    }

    private func append(word: StaticString) {
        valuesMissing -= 1
        word.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }

    /// A text in quotes, which may be a value or, where it is a key, a part of one.
    private func appendQuoted(_ text: String) {
        var text = text
        text.withUTF8 { utf8 in
            bytes.append(UInt8(ascii: "\""))
            var written = 0
            for index in 0..<utf8.count where Self.isEscaped(utf8[index]) {
                bytes.append(contentsOf: UnsafeBufferPointer(rebasing: utf8[written..<index]))
                appendEscaped(utf8[index])
                written = index + 1
            }
            bytes.append(contentsOf: UnsafeBufferPointer(rebasing: utf8[written...]))
            bytes.append(UInt8(ascii: "\""))
        }
    }

    private static func isEscaped(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    private func appendEscaped(_ byte: UInt8) {
        let text: StaticString? =
            switch byte {
            case UInt8(ascii: "\""): "\\\""
            case UInt8(ascii: "\\"): "\\\\"
            case 0x08: "\\b"
            case 0x09: "\\t"
            case 0x0A: "\\n"
            case 0x0C: "\\f"
            case 0x0D: "\\r"
            default: nil
            }
        if let text {
            text.withUTF8Buffer { bytes.append(contentsOf: $0) }
        } else {
            let digits = String(byte, radix: 16)
            bytes.append(contentsOf: (digits.utf8.count == 1 ? "\\u000" : "\\u00").utf8)
            bytes.append(contentsOf: digits.utf8)
        }
    }

    // MARK: Objects and arrays

    /// Begins an object or an array in the place of a value.
    func open(_ kind: Kind) -> Place {
        valuesMissing -= 1
        bytes.append(UInt8(ascii: kind == .object ? "{" : "["))
        framesOpened += 1
        let place = Place(kind: kind, depth: frames.count, number: framesOpened)
        frames.append(Frame(kind: kind, number: framesOpened, firstMember: members.count, start: bytes.count))
        return place
    }

    /// Writes a key; its value is to follow.
    func beginMember(_ key: String, in place: Place) {
        guard begin(in: place) else { return }
        let start = bytes.count
        appendQuoted(key)
        let member = Member(start: start, key: (start + 1)..<(bytes.count - 1))
        let frame = frames.count - 1
        bytes.withUnsafeBufferPointer { bytes in
            // Other keys may be in another order as texts than as bytes.
            if bytes[member.key].contains(where: { $0 >= 0x80 || $0 == UInt8(ascii: "\\") }) { giveUp() }
            if frames[frame].isSorted, let last = members.last, members.count > frames[frame].firstMember {
                frames[frame].isSorted = bytes.order(of: last.key, member.key) < 0
            }
        }
        members.append(member)
        bytes.append(UInt8(ascii: ":"))
    }

    func beginElement(in place: Place) { _ = begin(in: place) }

    /// Begins another member or element; falls back where the container is closed.
    private func begin(in place: Place) -> Bool {
        valuesMissing += 1
        guard frames.count > place.depth, frames[place.depth].number == place.number else {
            giveUp()
            return false
        }
        close(to: place.depth + 1)
        if bytes.count > frames[place.depth].start { bytes.append(UInt8(ascii: ",")) }
        return true
    }

    /// Closes the open objects and arrays down to `depth`.
    func close(to depth: Int) {
        while frames.count > depth {
            let frame = frames.removeLast()
            if frame.kind == .object {
                if !frame.isSorted { sortMembers(from: frame.firstMember, at: frame.start) }
                members.removeSubrange(frame.firstMember...)
            }
            bytes.append(UInt8(ascii: frame.kind == .object ? "}" : "]"))
        }
    }

    private func sortMembers(from first: Int, at start: Int) {
        for index in first..<members.count {
            // A comma is between one and the next.
            members[index].end = index + 1 < members.count ? members[index + 1].start - 1 : bytes.count
        }
        sorted.removeAll(keepingCapacity: true)
        bytes.withUnsafeBufferPointer { bytes in
            sortKeys(from: first, in: bytes)
            for index in first..<members.count {
                if index > first {
                    sorted.append(UInt8(ascii: ","))
                    if bytes.order(of: members[index - 1].key, members[index].key) == 0 { giveUp() }
                }
                sorted.append(
                    contentsOf: UnsafeBufferPointer(rebasing: bytes[members[index].start..<members[index].end]))
            }
        }
        bytes.removeSubrange(start...)
        bytes.append(contentsOf: sorted)
    }

    /// Sorts the last members by their keys.
    private func sortKeys(from first: Int, in bytes: UnsafeBufferPointer<UInt8>) {
        guard members.count - first <= 32 else {
            members.replaceSubrange(first..., with: members[first...].sorted { bytes.order(of: $0.key, $1.key) < 0 })
            return
        }
        // Insertion, since a type's keys are few, and needs no memory.
        for index in (first + 1)..<members.count {
            let member = members[index]
            var place = index
            while place > first, bytes.order(of: member.key, members[place - 1].key) < 0 {
                members[place] = members[place - 1]
                place -= 1
            }
            members[place] = member
        }
    }
}
