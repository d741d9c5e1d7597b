/// Why a payload is not sent: a phone would ignore it without an error to anyone.
public enum PayloadFault: String, CaseIterable, Codable, Hashable, Sendable, Error {
    /// More than 4,096 bytes: the payload, or the card's attributes and content, which the device stores.
    case tooLarge = "payload_too_large"
    /// The payload cannot be written as JSON, or decodes as another payload.
    case unreadable = "payload_unreadable"
}

extension PushPayload {
    /// The bytes to send, once a phone is certain to accept and decode them.
    ///
    /// - Parameter attributesBytes: of the card's attributes at its start.
    /// - Throws: ``PayloadFault`` where no phone would decode the payload, or where it is too large.
    public func checked(attributesBytes: Int) throws(PayloadFault) -> [UInt8] {
        // A payload that does not encode is unreadable for every phone, whatever the encoder's reason.
        guard let bytes = try? wholeBytes() else { throw .unreadable }
        guard bytes.count <= Self.payloadBytesMax, try isKept(ofWhole: bytes.count, beside: attributesBytes) else {
            throw .tooLarge
        }
        // A payload that does not decode and one that decodes as another are the same fault for a phone.
        guard let read = try? PushPayload(decoding: bytes), read == self else { throw .unreadable }
        return bytes
    }

    /// Whether the device can keep attributes and content together.
    ///
    /// - Parameter whole: the payload's bytes, which the content is a part of, and in a start the attributes are too: mostly nothing else is
    ///   to be counted.
    private func isKept(ofWhole whole: Int, beside attributesBytes: Int) throws(PayloadFault) -> Bool {
        if aps.attributes != nil || attributesBytes.addingSaturating(whole) <= Self.payloadBytesMax { return true }
        // The content is a part of the payload that was encoded above, so this encoding succeeds too.
        guard let content = try? Self.bytes(aps.contentState) else { throw .unreadable }
        return attributesBytes.addingSaturating(content.count) <= Self.payloadBytesMax
    }
}

extension GroceryDeliveryAttributes {
    /// The encoded size on the device, in bytes.
    public var encodedBytes: Int {
        // `checked(attributesBytes:)` refuses a payload that does not encode, so that its size matters to no caller.
        (try? PushPayload.bytes(self).count) ?? 0
    }
}

extension GroceryDeliveryAttributes.ContentState {
    /// The encoded size on the device, in bytes.
    public var encodedBytes: Int {
        // `checked(attributesBytes:)` refuses a payload that does not encode, so that its size matters to no caller.
        (try? PushPayload.bytes(self).count) ?? 0
    }
}
