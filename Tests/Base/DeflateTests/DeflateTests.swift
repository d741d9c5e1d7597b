import Deflate
import TestSupport
import Testing

@Suite("Deflate")
struct DeflateTests {
    @Test(
        "A frame unpacks to what was packed, and its count needs no memory for it",
        arguments: [1, 2, 258, 9_999, 1 << 20])
    func whole(count: Int) {
        let packed = PackedZeros.zlib(count: count)
        #expect(Deflate.unpack(packed, as: .zlib, bytesMax: count) == [UInt8](repeating: 0, count: count))
        #expect(Deflate.unpackedCount(packed, as: .zlib, bytesMax: count) == count)
        #expect(packed.count <= 280 + count / 150)
    }

    @Test("What is packed unpacks to itself, and repeats take little room")
    func packed() {
        for bytes in [[], [7], (0..<100_000).map { UInt8($0 / 1_000) }] {
            #expect(Deflate.unpack(Deflate.pack(bytes), as: .zlib, bytesMax: bytes.count) == bytes)
        }
        #expect(Deflate.pack([UInt8](repeating: 7, count: 100_000)).count < 1_000)
    }

    @Test("The checksum of nine digits is the one of the catalogue of CRCs")
    func checksum() {
        #expect(Deflate.checksum(Array("123456789".utf8)[...]) == 0xCBF4_3926)
        #expect(Deflate.checksum([]) == 0)
    }

    @Test("Gzip unpacks too")
    func gzip() {
        // gzip -9n of "oats"
        let packed: [UInt8] = [
            0x1F, 0x8B, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0xCB, 0x4F, 0x2C, 0x29, 0x06, 0x00,
        ]
        let check: [UInt8] = [0x2A, 0x05, 0x4B, 0x89, 0x04, 0x00, 0x00, 0x00]
        #expect(Deflate.unpack(packed + check, as: .gzip, bytesMax: 4) == Array("oats".utf8))
        #expect(Deflate.unpack(packed + check, as: .zlib, bytesMax: 4) == nil)
    }

    @Test("What unpacks to more, ends early, goes on behind its end, or is none is refused")
    func refused() {
        let packed = PackedZeros.zlib(count: 1_000)
        #expect(Deflate.unpackedCount(packed, as: .zlib, bytesMax: 999) == nil)
        for length in packed.indices {
            #expect(Deflate.unpackedCount(Array(packed.prefix(length)), as: .zlib, bytesMax: 1_000) == nil)
        }
        #expect(Deflate.unpackedCount(packed + [0], as: .zlib, bytesMax: 1_000) == nil)
        #expect(Deflate.unpackedCount([1, 2, 3], as: .gzip, bytesMax: 1_000) == nil)
        var changed = packed
        changed[packed.count - 1] ^= 2
        #expect(Deflate.unpackedCount(changed, as: .zlib, bytesMax: 1_000) == nil, "the checksum is another")
    }
}
