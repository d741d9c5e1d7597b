import Foundation
import NatsClient
import Testing

@testable import ReliableMessaging

@Suite("Batches")
struct MessageBatchTests {
    @Test("Messages have random UUIDs as their ids, each another one")
    func ids() {
        let ids = (0..<64).map { _ in OutboxMessage(subject: "a", payload: []).id.uuidString }
        #expect(Set(ids).count == ids.count)
        for id in ids.map(Array.init) { #expect(id[14] == "4" && "89AB".contains(id[19])) }
    }

    private func message(
        _ text: String, on subject: String = "a", key: String? = nil, headers: [String: String] = [:]
    ) -> OutboxMessage {
        OutboxMessage(subject: subject, key: key, payload: Array(text.utf8), headers: headers)
    }

    private func texts(_ messages: [OutboxMessage]) -> [String] {
        messages.map { String(decoding: $0.payload, as: UTF8.self) }
    }

    @Test("What a transaction has for one subject is one message, in its order; other subjects have their own")
    func joined() {
        let messages = [message("1"), message("2", on: "b"), message("3"), message("4", on: "b"), message("5")]
        let batches = OutboxBatch(messages).messages
        #expect(batches.map(\.subject) == ["a", "b"])
        #expect(texts(batches) == ["1\n3\n5", "2\n4"])
        #expect(batches.map(\.id) == [messages[0].id, messages[1].id])
        #expect(OutboxBatch(messages).insertion.count == 1 && OutboxBatch([]).insertion.isEmpty)
    }

    @Test("A single message is itself")
    func single() {
        let one = message("1", key: "k", headers: ["traceparent": "t", "n": "1"])
        #expect(OutboxBatch([one]).messages == [one])
    }

    @Test("No message has more elements or bytes than the bounds, but for an element that is larger")
    func bounds() {
        let many = OutboxBatch((0...MessageBatch.elementsMax * 2).map { message("\($0)") }).messages
        let elements = many.map { MessageBatch.elements(of: $0.payload).count }
        #expect(elements == [MessageBatch.elementsMax, MessageBatch.elementsMax, 1])
        let half = String(repeating: "x", count: MessageBatch.bytesMax / 2)
        let sized = OutboxBatch([message(half + half + half), message("small"), message(half), message(half)]).messages
        #expect(sized.map(\.payload.count) == [half.count * 3, half.count + 6, half.count])
        #expect(sized.dropFirst().allSatisfy { $0.payload.count <= MessageBatch.bytesMax })
    }

    @Test("Each element keeps its key and its trace; messages that differ in another header are apart")
    func headers() {
        let batches = OutboxBatch([
            message("1", key: "k1", headers: ["traceparent": "t1"]), message("2", headers: ["n": "2"]),
            message("3"), message("4", key: "k4", headers: ["traceparent": "t4"]),
        ]).messages
        #expect(texts(batches) == ["1\n3\n4", "2"])
        #expect(batches[0].headers == [MessageBatch.keysHeader: "k1,,k4", "traceparent": "t1,,t4"])
        #expect(batches[1].headers == ["n": "2"])
        let received = StreamMessage(
            subject: "a", payload: batches[0].payload, headers: batches[0].headers, streamSequence: 7,
            timestamp: Date(timeIntervalSince1970: 1_795_280_400.123_456_7))
        let elements = received.elements
        #expect(elements.map { String(decoding: $0.payload, as: UTF8.self) } == ["1", "3", "4"])
        #expect(elements.map { $0.headers["traceparent"] } == ["t1", nil, "t4"])
        #expect(elements.map { $0.headers[MessageBatch.keysHeader] } == ["k1", nil, "k4"])
        #expect(elements.allSatisfy { $0.streamSequence == 7 })
        let microseconds = elements.map { ($0.timestamp.timeIntervalSince1970 * 1e6).rounded() }
        #expect(microseconds == [0, 1, 2].map { 1_795_280_400_123_457 + $0 })
    }

    @Test("A message that is no batch of ours is one element", arguments: ["", "{", "{}"])
    func whole(text: String) {
        let message = StreamMessage(subject: "a", payload: Array(text.utf8), headers: ["traceparent": "t"])
        #expect(message.elements == [message])
        let lines = StreamMessage(
            subject: "a", payload: Array(repeating: UInt8(ascii: "\n"), count: MessageBatch.elementsMax))
        #expect(lines.elements == [lines])
    }

    @Test("Of a notification the elements with wanted keys are found, and none where keys and elements differ")
    func wanted() {
        let batch = OutboxBatch([message("1", key: "k1"), message("2", key: "k2"), message("3")]).messages[0]
        let notification = NatsMessage(subject: "a", payload: batch.payload, headers: batch.headers)
        func texts(_ message: NatsMessage, _ keys: Set<String>) -> [String] {
            MessageBatch.elements(of: message, where: keys.contains).map { String(decoding: $0, as: UTF8.self) }
        }
        #expect(texts(notification, ["k2"]) == ["2"])
        #expect(texts(notification, ["k2", "k1"]) == ["1", "2"])
        #expect(texts(notification, ["other"]).isEmpty)
        let short = NatsMessage(subject: "a", payload: [1], headers: batch.headers)
        #expect(texts(short, ["k1"]).isEmpty)
    }
}
