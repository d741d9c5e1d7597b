import Deflate
import TestSupport
import Testing

@Suite("Unpacking of deflate")
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
