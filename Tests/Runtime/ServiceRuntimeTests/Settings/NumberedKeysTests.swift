import Foundation
import ProcessSettings
import Testing

@Suite("A file of numbered keys")
struct NumberedKeysTests {
    @Test("The highest id in use signs, and every key is known")
    func stages() throws {
        let text = "1:0aff retired 2026-11-21T18:24:00.000Z\n2:0b00\n3:0c00 standby\n"
        let keys = try #require(NumberedKeys(text: text))
        #expect(keys.signing == 2 && keys.retired == [1])
        #expect(keys.bytes == [1: [10, 255], 2: [11, 0], 3: [12, 0]])
        #expect(keys.keys[0].stage == .retired(Date(timeIntervalSince1970: 1_795_285_440)))
        #expect(keys.text == text)
        #expect(NumberedKeys(text: "1:00\n4:00\n2:00")?.signing == 4)
    }

    @Test(
        "A line of another form is refused, and an id that comes twice",
        arguments: [
            "1", "1:0", "1:xx", "256:00", "1:00:00", "1:00 later", "1:00 retired", "1:00 retired x", "1:00\n1:01",
        ])
    func refused(text: String) {
        #expect(NumberedKeys(text: text) == nil)
    }
}
