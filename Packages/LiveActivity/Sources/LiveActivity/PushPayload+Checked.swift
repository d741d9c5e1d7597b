/// Why a payload is not sent: a phone would show nothing of it, and nobody would be told.
public enum PayloadFault: String, CaseIterable, Codable, Hashable, Sendable, Error {
    /// More than 4,096 bytes, by itself or as what the device keeps: the card's attributes and its content.
    case tooLarge = "payload_too_large"
    /// It cannot be written as JSON, or reads back as something else.
    case unreadable = "payload_unreadable"
}

extension PushPayload {
    /// The bytes to send, once a phone is certain to take and to read them.
    ///
    /// - Parameter attributesBytes: of the attributes that the card was started with.
    public func checked(attributesBytes: Int) throws(PayloadFault) -> [UInt8] {
        guard let bytes = try? Self.bytes(self), let content = try? Self.bytes(aps.contentState) else {
            throw .unreadable
        }
        let attributes = aps.attributes.map(\.encodedBytes) ?? attributesBytes
        guard bytes.count <= Self.payloadBytesMax, attributes.addingSaturating(content.count) <= Self.payloadBytesMax
        else { throw .tooLarge }
        guard let read = try? PushPayload(decoding: bytes), read == self else { throw .unreadable }
        return bytes
    }
}

extension GroceryDeliveryAttributes {
    /// How many bytes they take on the device.
    public var encodedBytes: Int { (try? PushPayload.bytes(self).count) ?? 0 }
}

extension GroceryDeliveryAttributes.ContentState {
    /// How many bytes it takes on the device.
    public var encodedBytes: Int { (try? PushPayload.bytes(self).count) ?? 0 }
}
