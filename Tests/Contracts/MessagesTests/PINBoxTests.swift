import Foundation
import Messages
import OrderDomain
import SeededRandom
import Testing
import TextCoding

@Suite("Sealed PINs")
struct PINBoxTests {
    private func box(_ byte: UInt8) throws -> PINBox {
        PINBox(try SecretBox(keys: [1: Array(repeating: byte, count: 32)], encrypting: 1))
    }

    @Test("A PIN is opened for its own delivery alone, with its own key")
    func owner() throws {
        let (delivery, other) = (DeliveryID(UUID()), DeliveryID(UUID()))
        let sealed = try box(7).seal("0417", of: delivery)
        #expect(!sealed.contains("0417"))
        #expect(try box(7).open(sealed, of: delivery) == "0417")
        #expect(try box(7).open(sealed, of: other) == nil)
        #expect(try box(8).open(sealed, of: delivery) == nil)
        for damaged in ["", "AA", String(sealed.dropLast(2)), "not base64 !"] {
            #expect(try box(7).open(damaged, of: delivery) == nil)
        }
    }

    @Test("Equal PINs are sealed differently, so that no table shows which are equal")
    func nonce() throws {
        let delivery = DeliveryID(UUID())
        #expect(try box(7).seal("0417", of: delivery) != box(7).seal("0417", of: delivery))
    }

    @Test("In JSON the PIN alone is replaced, and a text that quotes the key is none")
    func json() {
        func replaced(_ json: String) -> String {
            let bytes = PINBox.replacingPIN(in: Array(json.utf8)) { $0 == "sealed" ? "0417" : "other" }
            return String(decoding: bytes, as: UTF8.self)
        }
        #expect(replaced(#"{"a":1,"pin":"sealed","z":"sealed"}"#) == #"{"a":1,"pin":"0417","z":"sealed"}"#)
        #expect(replaced(#"{"a":1}"#) == #"{"a":1}"#)
        #expect(replaced(#"{"a":"\"pin\":\"sealed\""}"#) == #"{"a":"\"pin\":\"sealed\""}"#)
    }

    @Test("Whether a text has a PIN is what a search by characters finds", arguments: 0..<20 as Range<UInt64>)
    func search(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let pieces = ["\"pin\":\"", "\"pin\":", "\"pin", "\":\"", "pin", ":", "\\\"", "\"", "{", "æ", "👩‍👧", "\r\n"]
        for _ in 0..<500 {
            var text = ""
            for _ in 0..<Int.random(in: 0...6, using: &random) { text += pieces.randomElement(using: &random) ?? "" }
            #expect(PINBox.hasPIN(in: text) == text.contains("\"pin\":\""), "\(text)")
        }
    }
}
