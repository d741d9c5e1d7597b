import Testing
import TextCoding

@Suite("Bytes as hexadecimal digits")
struct HexadecimalTests {
    @Test("Each byte is two digits in lower case")
    func digits() {
        let bytes: [UInt8] = [0x00, 0x0A, 0x7F, 0xFF]
        #expect(Hexadecimal.encode(bytes) == "000a7fff")
        #expect(Hexadecimal.encode(bytes.prefix(0)).isEmpty)
        #expect(Hexadecimal.encode(0x0A_7FFF) == "00000000000a7fff")
    }

    @Test("Digits in either case are read", arguments: ["000a7fff", "000A7FfF"])
    func bytes(text: String) { #expect(Hexadecimal.decode(text) == [0x00, 0x0A, 0x7F, 0xFF]) }

    @Test("What is no pair of hexadecimal digits is not read", arguments: ["0", "0g", "zz", "+1", "é1"])
    func otherText(text: String) { #expect(Hexadecimal.decode(text) == nil) }
}
