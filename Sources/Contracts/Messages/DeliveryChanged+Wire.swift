public import Foundation
public import OrderDomain
internal import WireCoding

extension DeliveryChanged {
    /// The message in bytes, with an encoded delivery.
    ///
    /// - Parameter snapshot: the delivery in the form of ``WireCoding/WireJSON``.
    /// - Returns: the same bytes as encoding the whole message.
    /// - Throws: `EncodingError`.
    public static func encoded(
        around snapshot: Data, links: [DeliveryLink], cause: String, changedAt: Date, reached: [StatusCode]? = nil,
        pin: String? = nil
    ) throws -> Data {
        // The delivery's key comes between those of the two in their order.
        var message = try WireJSON.encode(Head(cause: cause, changedAt: changedAt)).dropLast()
        message.append(contentsOf: #","delivery":"#.utf8)
        message.append(snapshot)
        message.append(contentsOf: ",".utf8)
        message.append(try WireJSON.encode(Tail(links: links, pin: pin, reached: reached, schema: schema)).dropFirst())
        return message
    }

    private struct Head: Encodable {
        let cause: String
        let changedAt: Date
    }

    private struct Tail: Encodable {
        let links: [DeliveryLink]
        let pin: String?
        let reached: [StatusCode]?
        let schema: Int
    }
}
