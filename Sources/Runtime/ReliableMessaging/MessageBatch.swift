internal import Foundation
package import NatsClient

/// A message as a batch: its elements are the lines of its payload, and some of its headers have a value for each,
/// separated by commas.
///
/// The JSON of our services has no line breaks, so a batch of one element is the element itself.
package enum MessageBatch {
    /// Elements of one message.
    package static let elementsMax = 64
    /// Bytes of one message, but for an element that is larger: a quarter of the broker's limit.
    package static let bytesMax = 256 << 10
    /// The header that names the delivery or activity of each element, for readers that do not decode the payload.
    package static let keysHeader = "Doorstep-Keys"

    private static let newline = UInt8(ascii: "\n")
    /// The headers that differ by element.
    private static let headersOfElements = [keysHeader, TracePropagation.traceparent]

    /// The messages with all of one subject in as few as the bounds allow; each has the id of its first element.
    static func joining(_ messages: [OutboxMessage]) -> [OutboxMessage] {
        guard messages.count > 1 else { return messages }
        var batches: [[OutboxMessage]] = []
        var open: [Shared: (index: Int, bytes: Int)] = [:]
        for message in messages {
            let shared = Shared(message)
            if let (index, bytes) = open[shared], batches[index].count < elementsMax,
                bytes + message.payload.count < bytesMax
            {
                batches[index].append(message)
                open[shared] = (index, bytes + message.payload.count + 1)
            } else {
                batches.append([message])
                open[shared] = (batches.count - 1, message.payload.count)
            }
        }
        return batches.map(joined)
    }

    /// The properties that all elements of a batch share.
    private struct Shared: Hashable {
        let subject: String
        let headers: [String: String]

        init(_ message: OutboxMessage) {
            subject = message.subject
            let isOfElements = message.headers.keys.allSatisfy(MessageBatch.headersOfElements.contains)
            headers =
                isOfElements ? [:] : message.headers.filter { !MessageBatch.headersOfElements.contains($0.key) }
        }
    }

    private static func joined(_ elements: [OutboxMessage]) -> OutboxMessage {
        var batch = elements[0]
        guard elements.count > 1 else { return batch }
        batch.payload.reserveCapacity(elements.reduce(elements.count) { $0 + $1.payload.count })
        for element in elements.dropFirst() {
            batch.payload.append(newline)
            batch.payload.append(contentsOf: element.payload)
        }
        for name in headersOfElements {
            let values = elements.map { $0.headers[name] ?? "" }
            if values.contains(where: { !$0.isEmpty }) { batch.headers[name] = values.joined(separator: ",") }
        }
        return batch
    }

    /// The values of a header by element; nil for an element without.
    static func values(of name: String, in headers: [String: String]) -> [String?] {
        (headers[name] ?? "").split(separator: ",", omittingEmptySubsequences: false)
            .map { $0.isEmpty ? nil : String($0) }
    }

    /// The headers with other values of one that differs by element.
    static func headers(_ headers: [String: String], with values: [String?], of name: String) -> [String: String] {
        headers.merging([name: values.map { $0 ?? "" }.joined(separator: ",")]) { $1 }
    }

    /// The elements of a payload; one of any other form is a single element.
    package static func elements(of payload: [UInt8]) -> [ArraySlice<UInt8>] {
        let lines = payload.split(separator: newline, maxSplits: elementsMax, omittingEmptySubsequences: false)
        return lines.count > elementsMax ? [payload[...]] : lines
    }

    /// The elements of a notification whose keys are wanted.
    package static func elements(of message: NatsMessage, where isWanted: (String) -> Bool) -> [ArraySlice<UInt8>] {
        let keys = values(of: keysHeader, in: message.headers)
        guard keys.contains(where: { $0.map(isWanted) ?? false }) else { return [] }
        let elements = Self.elements(of: message.payload)
        guard elements.count == keys.count else { return [] }
        return zip(keys, elements).filter { $0.0.map(isWanted) ?? false }.map(\.1)
    }
}

extension StreamMessage {
    /// Each element as a message of its own: with its own payload, trace and key.
    ///
    /// The n-th is stored n microseconds after the message, so that it has a place of its own among the dead letters,
    /// the same at every delivery.
    var elements: [StreamMessage] {
        let payloads = MessageBatch.elements(of: payload)
        guard payloads.count > 1 else { return [self] }
        let traces = MessageBatch.values(of: TracePropagation.traceparent, in: headers)
        let keys = MessageBatch.values(of: MessageBatch.keysHeader, in: headers)
        let microseconds = (timestamp.timeIntervalSince1970 * 1e6).rounded()
        return payloads.enumerated().map { index, payload in
            var element = self
            element.payload = Array(payload)
            element.headers[TracePropagation.traceparent] = traces.count == payloads.count ? traces[index] : nil
            element.headers[MessageBatch.keysHeader] = keys.count == payloads.count ? keys[index] : nil
            element.timestamp = Date(timeIntervalSince1970: (microseconds + Double(index)) / 1e6)
            return element
        }
    }
}
