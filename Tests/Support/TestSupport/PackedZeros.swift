/// Zeros as deflate (RFC 1951) packs them with its fixed codes, in the frame of zlib (RFC 1950).
///
/// They unpack to about 159 times their size.
package enum PackedZeros {
    /// - Parameter count: from 1.
    package static func zlib(count: Int) -> [UInt8] {
        var bits = Bits()
        // The last block, and its kind: the lowest bit comes first.
        bits.append([1, 1, 0])
        bits.append(literal)
        let repeats = (count - 1) / 258
        for _ in 0..<repeats { bits.append(repeat258) }
        for _ in 0..<(count - 1) % 258 { bits.append(literal) }
        bits.append([0, 0, 0, 0, 0, 0, 0])
        return [0x78, 0x9C] + bits.bytes + checksum(count)
    }

    /// A zero.
    private static let literal: [UInt8] = [0, 0, 1, 1, 0, 0, 0, 0]
    /// The last byte 258 times: length code 285 and distance code 0.
    private static let repeat258: [UInt8] = [1, 1, 0, 0, 0, 1, 0, 1] + [0, 0, 0, 0, 0]

    /// Adler-32 of zeros.
    private static func checksum(_ count: Int) -> [UInt8] {
        let high = count % 65_521
        return [UInt8(high >> 8), UInt8(high & 255), 0, 1]
    }

    private struct Bits {
        var bytes: [UInt8] = []
        private var free = 0

        mutating func append(_ bits: [UInt8]) {
            for bit in bits {
                if free == 0 {
                    bytes.append(0)
                    free = 8
                }
                bytes[bytes.count - 1] |= bit << UInt8(8 - free)
                free -= 1
            }
        }
    }
}
