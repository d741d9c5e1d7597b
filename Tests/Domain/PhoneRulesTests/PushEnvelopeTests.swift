import Foundation
import LiveActivity
import PhoneRules
import Testing

@Suite("Bodies of pushes")
struct PushEnvelopeTests {
    @Test(
        "What is no JSON object with an aps object in it is no push",
        arguments: [
            "", " ", "null", "[]", "\"aps\"", "{}", "{\"aps\":1}", "{\"aps\":[]}", "{\"aps\":{}", "{\"aps\":{}}x",
            "{\"aps\":{},}", "{\"aps\":{\"a\":01}}", "{\"aps\":{\"a\":1.}}", "{\"aps\":{\"a\":+1}}",
            "{\"aps\":{\"a\":tru}}",
            "{\"aps\":{\"a\":\"\\x\"}}", "{\"aps\":{\"a\":\"\\u12g4\"}}", "{\"aps\":{\"a\":\"\n\"}}", "{'aps':{}}",
            "{\"aps\":{\"a\":[1,]}}", "{\"aps\":{\"a\"}}", "{\"aps\":{\"a\":\"", "{\"aps\":{\"a\":-}}",
            "{\"aps\":{\"a\":1e}}",
        ])
    func refuses(text: String) { #expect(PushEnvelope(Array(text.utf8)) == nil) }

    @Test(
        "What is one is taken, whatever else is in it",
        arguments: [
            "{\"aps\":{}}", " {\"x\" : [1, {}, \"\\u00e6\\n\"] , \"aps\" : { \"a\" : -1.5e+3 } } ",
            "{\"aps\":{\"a\":[true,false,null,0,-0.1,[[]]]}}",
        ])
    func accepted(text: String) { #expect(PushEnvelope(Array(text.utf8)) != nil) }

    @Test("Nesting is bounded")
    func nesting() {
        let deep = String(repeating: "[", count: 10_000) + String(repeating: "]", count: 10_000)
        #expect(PushEnvelope(Array("{\"aps\":{\"a\":\(deep)}}".utf8)) == nil)
    }

    @Test("Whatever Foundation writes is read, and its event and timestamp are found")
    func foundation() throws {
        let aps: [String: Any] = ["event": "update", "timestamp": 1_795_262_400, "alert": ["title": "æ/\"\\\u{1}😀"]]
        let data = try JSONSerialization.data(withJSONObject: ["aps": aps], options: [.prettyPrinted])
        let envelope = try #require(PushEnvelope([UInt8](data)))
        #expect(envelope.event == .update)
        #expect(envelope.timestamp == 1_795_262_400)
    }
}
