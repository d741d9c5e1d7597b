import SeededRandom
import Testing
import TextCoding

@Suite("Bytes in the alphabet of URLs")
struct Base64URLTests {
    @Test(
        "It is written as RFC 4648 has it, without padding",
        arguments: [
            ([], ""), ([0x66], "Zg"), ([0x66, 0x6F], "Zm8"), ([0x66, 0x6F, 0x6F], "Zm9v"),
            ([0xFB, 0xFF, 0xBF], "-_-_"),
        ] as [([UInt8], String)])
    func vectors(bytes: [UInt8], text: String) {
        #expect(Base64URL.encode(bytes) == text)
        #expect(Base64URL.decode(text) == bytes)
    }

    @Test("Bytes of any number are read as they were written")
    func roundTrip() {
        var random = SeededGenerator(seed: 7)
        for count in 0..<200 {
            let bytes = (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &random) }
            #expect(Base64URL.decode(Base64URL.encode(bytes)) == bytes)
        }
    }

    @Test(
        "Padding may be there or not",
        arguments: [
            ("", []), ("AA", [0]), ("AA==", [0]), ("AAA", [0, 0]), ("AAA=", [0, 0]), ("AAAA", [0, 0, 0]),
            ("-_-_", [0xfb, 0xff, 0xbf]),
        ] as [(String, [UInt8])])
    func decoded(text: String, bytes: [UInt8]) { #expect(Base64URL.decode(optionallyPadded: text) == bytes) }

    @Test(
        "What is neither padded as it should be nor unpadded is not read",
        arguments: [
            "A", "A===", "AA=", "AAA==", "AAAA=", "AAAA====", "+/+/", "AA AA", "AA\n", "AA=A", "=", "éé", "AAAAA",
        ])
    func refused(text: String) { #expect(Base64URL.decode(optionallyPadded: text) == nil) }

    @Test(
        "No other spelling is read",
        arguments: ["Zg==", "Zg=", "Zh", "+/+/", "-/-_", "Z", "Zm9vZ", "Zm 9v", "Zm9v\n", "Zmév", "é"])
    func otherSpellings(text: String) {
        #expect(Base64URL.decode(text) == nil)
    }
}
