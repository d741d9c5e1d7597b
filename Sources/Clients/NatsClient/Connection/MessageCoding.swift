internal import CNats

#if canImport(Glibc)
    internal import Glibc
#else
    internal import Darwin
#endif

/// A message of the C library with one owner: headers of a `natsMsg` are not thread-safe, so it is never shared.
struct OwnedMessage: ~Copyable {
    let pointer: OpaquePointer

    /// Owns a message that the caller would otherwise destroy.
    init(owning pointer: OpaquePointer) { self.pointer = pointer }

    /// A new message with copies of all parts.
    static func make(
        subject: String, reply: String?, payload: [UInt8], headers: [String: String], operation: String
    ) throws(NatsError) -> OwnedMessage {
        var created: OpaquePointer?
        let status = payload.withUnsafeBytes { bytes in
            natsMsg_Create(
                &created, subject, reply, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(bytes.count))
        }
        guard status == NATS_OK, let created else { throw NatsError(status: status, operation: operation) }
        let message = OwnedMessage(owning: created)
        // The C library's parser reads the next line as the value of an empty header, so empty headers are not sent.
        for (key, value) in headers where !value.isEmpty {
            let status = natsMsgHeader_Set(created, key, value)
            guard status == NATS_OK else { throw NatsError(status: status, operation: operation) }
        }
        return message
    }

    deinit { natsMsg_Destroy(pointer) }

    /// The message's content, copied into values.
    func copied() -> NatsMessage {
        let subject = natsMsg_GetSubject(pointer).map { String(cString: $0) } ?? ""
        let length = Int(natsMsg_GetDataLength(pointer))
        let payload = [UInt8](
            UnsafeRawBufferPointer(start: natsMsg_GetData(pointer).map { UnsafeRawPointer($0) }, count: length))
        return NatsMessage(
            subject: subject, payload: payload, headers: headers(),
            reply: natsMsg_GetReply(pointer).map { String(cString: $0) })
    }

    /// "The returned strings are own by the library and MUST not be freed or altered. However, the returned array
    /// `keys` MUST be freed by the user." (nats.h, natsMsgHeader_Keys)
    private func headers() -> [String: String] {
        var keys: UnsafeMutablePointer<UnsafePointer<CChar>?>?
        var count: Int32 = 0
        guard natsMsgHeader_Keys(pointer, &keys, &count) == NATS_OK, let keys else { return [:] }
        defer { free(keys) }
        var headers: [String: String] = [:]
        headers.reserveCapacity(Int(count))
        for key in UnsafeBufferPointer(start: keys, count: Int(count)) {
            var value: UnsafePointer<CChar>?
            guard let key, natsMsgHeader_Get(pointer, key, &value) == NATS_OK, let value else { continue }
            headers[String(cString: key)] = String(cString: value)
        }
        return headers
    }
}
