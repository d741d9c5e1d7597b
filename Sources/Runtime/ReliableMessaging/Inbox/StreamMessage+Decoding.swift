internal import Foundation
package import Messages
internal import NatsClient
internal import WireCoding

extension StreamMessage {
    /// - Throws: the reason why it is a bad message.
    func decoded<Message: ConsumedMessage>(as type: Message.Type = Message.self) throws -> Message {
        let decoded: Message
        do {
            decoded = try WireJSON.decode(Message.self, from: Data(payload))
        } catch {
            throw UndecodableMessage(error)
        }
        if let fault = decoded.fault(on: subject) { throw RejectedMessage(fault) }
        return decoded
    }
}

extension MessageContext {
    /// The whole of a message whose consumer decodes a part, once a handler knows that it needs the rest.
    ///
    /// - Throws: as for a message that its consumer cannot decode, so that it becomes a dead letter.
    package func decoded<Message: ConsumedMessage>(as type: Message.Type) throws -> Message {
        try message.decoded()
    }
}
