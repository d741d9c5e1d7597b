/// Writes fields of one Protocol Buffers message, in the binary format.
///
/// Fields with their default value are omitted, as in proto3, and empty sub-messages too.
/// - Source: https://protobuf.dev/programming-guides/encoding/
struct ProtobufWriter {
    private(set) var bytes: [UInt8] = []

    private enum WireType: UInt64 {
        case varint = 0
        case fixed64 = 1
        case lengthDelimited = 2
        case fixed32 = 5
    }

    /// An `int64`, `uint32`, `bool` or `enum`, as its bit pattern.
    mutating func varint(_ value: UInt64, field: UInt64) {
        guard value != 0 else { return }
        append(tag: field, .varint)
        append(varint: value)
    }

    mutating func fixed64(_ value: UInt64, field: UInt64) {
        guard value != 0 else { return }
        append(tag: field, .fixed64)
        append(littleEndian: value)
    }

    mutating func fixed32(_ value: UInt32, field: UInt64) {
        guard value != 0 else { return }
        append(tag: field, .fixed32)
        append(littleEndian: value)
    }

    mutating func bytes(_ value: [UInt8], field: UInt64) {
        guard !value.isEmpty else { return }
        append(value, field: field)
    }

    mutating func string(_ value: String, field: UInt64) { bytes(Array(value.utf8), field: field) }

    /// A message in this one; written also when it is empty, since an element of a repeated field counts.
    mutating func message(field: UInt64, _ write: (inout ProtobufWriter) -> Void) {
        var inner = ProtobufWriter()
        write(&inner)
        append(inner.bytes, field: field)
    }

    /// A member of a `oneof`, which is written even with its default value: its presence selects the member.
    mutating func member(_ value: ProtobufMember, field: UInt64) {
        switch value {
        case .varint(let number):
            append(tag: field, .varint)
            append(varint: number)
        case .double(let number):
            append(tag: field, .fixed64)
            append(littleEndian: number.bitPattern)
        case .string(let text): append(Array(text.utf8), field: field)
        }
    }

    private mutating func append(_ value: [UInt8], field: UInt64) {
        append(tag: field, .lengthDelimited)
        append(varint: UInt64(value.count))
        bytes.append(contentsOf: value)
    }

    private mutating func append(tag field: UInt64, _ type: WireType) { append(varint: field << 3 | type.rawValue) }

    private mutating func append(varint value: UInt64) {
        var rest = value
        while rest > 0x7F {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(rest))
    }

    private mutating func append(littleEndian value: some FixedWidthInteger) {
        withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }
}

/// A value of a `oneof`.
enum ProtobufMember {
    case varint(UInt64)
    case double(Double)
    case string(String)
}
