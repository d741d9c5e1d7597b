import Testing
import TextCoding

@Suite("Bytes as hexadecimal digits")
struct HexadecimalTests {
    @Test("Each byte is two digits in lower case")
    func digits() {
        let bytes: [UInt8] = [0x00, 0x0A, 0x7F, 0xFF]
        #expect(Hexadecimal.encode(bytes) == "000a7fff")
        #expect(Hexadecimal.encode(bytes.prefix(0)).isEmpty)
    }
}
