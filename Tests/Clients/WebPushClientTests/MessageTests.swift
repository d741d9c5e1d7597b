import Testing

@testable import WebPushClient

@Suite("Messages to browsers")
struct MessageTests {
    private func fault(
        bytes: Int = 1, seconds: Double = 60, topic: String? = nil
    ) -> WebPushMessageError? {
        do throws(WebPushMessageError) {
            _ = try WebPushMessage(
                plaintext: Array(repeating: 0, count: bytes), timeToLive: .seconds(seconds), topic: topic)
            return nil
        } catch { return error }
    }

    @Test("3,993 bytes fit, one more does not; nothing is a message too")
    func sizes() {
        #expect(fault(bytes: 3_993) == nil)
        #expect(fault(bytes: 3_994) == .plaintextTooLong(bytes: 3_994))
        #expect(fault(bytes: 0) == nil)
    }

    @Test("A message is kept for 0 to 28 days")
    func timeToLive() {
        #expect(fault(seconds: 0) == nil)
        #expect(fault(seconds: 28 * 86_400) == nil)
        #expect(fault(seconds: 28 * 86_400 + 1) == .timeToLiveOutOfRange)
        #expect(fault(seconds: -0.5) == .timeToLiveOutOfRange)
    }

    @Test("A topic is 1 to 32 characters of base64url", arguments: ["a", "Az09-_", String(repeating: "a", count: 32)])
    func topics(topic: String) { #expect(fault(topic: topic) == nil) }

    @Test(
        "What would not be a topic, or more than one header, is none",
        arguments: ["", "a b", "a=", "a+/", "é", "a\r\nttl: 0", String(repeating: "a", count: 33)])
    func badTopics(topic: String) { #expect(fault(topic: topic) == .topicMalformed) }

    @Test("Urgencies are those of RFC 8030")
    func urgencies() {
        #expect(WebPushMessage.Urgency.allCases.map(\.rawValue) == ["very-low", "low", "normal", "high"])
    }
}
