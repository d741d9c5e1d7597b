import Crypto
import DeliveryProviders
import DoorstepAPI
import Foundation
import OrderDomain
import TextCoding

/// One stored event of a provider, with its meaning in Doorstep's vocabulary.
struct Receipt: Hashable, Sendable {
    let id: UUID
    let source: SourceID
    /// The source's only store when the event was received; nil for every store.
    let store: StoreID?
    /// The key that identifies repeats within the source.
    let key: String
    let kind: String
    /// The provider's references of the delivery, its own id before those that the shop gave it.
    let references: [String]
    /// The reference among them that the shop gave the delivery; nil where the provider made each.
    let shopReference: String?
    var state: ReceiptBody.State
    let isKnown: Bool
    /// The report; nil where the event concerns no delivery.
    var report: ProviderReport?
    let position: ReportedPosition?
    let receivedAt: Date
    /// The webhook as received; nil where another receipt of the same webhook has it.
    let body: Data?
    /// The receipt with that body.
    let bodyOf: UUID?
}

extension Receipt {
    /// The receipts of an authentic webhook: one receipt an event, readable or not, or one of an unreadable body.
    ///
    /// - Parameters:
    ///   - receivedAt: domain time.
    ///   - makeUUID: makes receipts' ids.
    /// - Returns: the receipts, and the faults of the body or of its events; none where all is readable.
    static func receipts(
        of body: Data, charset: String?, from source: Source, receivedAt: Date, depthMax: Int,
        isNested: (Int, Data) -> Bool, makeUUID: () -> UUID
    ) -> (receipts: [Receipt], faults: [UnreadableWebhook]) {
        if let charset, charset != "utf-8", charset != "us-ascii" {
            return unreadable(body, from: source, at: receivedAt, makeUUID(), "the charset is not UTF-8")
        }
        guard String(validating: body, as: UTF8.self) != nil else {
            return unreadable(body, from: source, at: receivedAt, makeUUID(), "the body is not UTF-8")
        }
        if isNested(depthMax, body) {
            return unreadable(
                body, from: source, at: receivedAt, makeUUID(), "the body is nested deeper than \(depthMax) levels")
        }
        do {
            let events = try source.provider.events(
                in: body, receivedAt: receivedAt, from: source.id.rawValue, name: source.name)
            let first = makeUUID()
            var (receipts, faults): ([Receipt], [UnreadableWebhook]) = ([], [])
            for (index, event) in events.enumerated() {
                let id = index == 0 ? first : makeUUID()
                let (own, bodyOf): (Data?, UUID?) = index == 0 ? (body, nil) : (nil, first)
                switch event {
                case .success(let event):
                    receipts.append(Receipt(event, of: source, id: id, at: receivedAt, body: own, bodyOf: bodyOf))
                case .failure(let error):
                    let fault = UnreadableWebhook(event: index, description: error.description)
                    faults.append(fault)
                    receipts.append(
                        Receipt(fault, in: body, of: source, id: id, at: receivedAt, body: own, bodyOf: bodyOf))
                }
            }
            return (receipts, faults)
        } catch {
            return unreadable(body, from: source, at: receivedAt, makeUUID(), error.description)
        }
    }

    private static func unreadable(
        _ body: Data, from source: Source, at receivedAt: Date, _ id: UUID, _ fault: String
    ) -> (receipts: [Receipt], faults: [UnreadableWebhook]) {
        let fault = UnreadableWebhook(event: nil, description: fault)
        return ([Receipt(fault, in: body, of: source, id: id, at: receivedAt, body: body, bodyOf: nil)], [fault])
    }

    /// The receipt of a webhook, or of one of its events, that is unreadable.
    ///
    /// The digest of the whole webhook identifies repeats.
    private init(
        _ fault: UnreadableWebhook, in webhook: Data, of source: Source, id: UUID, at receivedAt: Date, body: Data?,
        bodyOf: UUID?
    ) {
        let key = "body|" + Hexadecimal.encode(SHA256.hash(data: webhook))
        self.init(
            id: id, source: source.id, store: source.store, key: fault.event.map { "\(key)|\($0)" } ?? key,
            kind: fault.description, references: [], shopReference: nil, state: .unreadable, isKnown: false,
            report: nil, position: nil, receivedAt: receivedAt, body: body, bodyOf: bodyOf)
    }

    /// A reference in the form in which references are compared: without white space around it.
    ///
    /// A UUID is in lower case, as Doorstep's own ids.
    static func comparedForm(of reference: String) -> String {
        let text = reference.trimmingCharacters(in: .whitespacesAndNewlines)
        return DeliveryID(rawValue: text)?.rawValue ?? text
    }

    private init(_ event: ProviderEvent, of source: Source, id: UUID, at receivedAt: Date, body: Data?, bodyOf: UUID?) {
        self.id = id
        self.source = source.id
        store = source.store
        key = event.key
        kind = event.kind
        references = event.references.map(Self.comparedForm(of:))
        shopReference = event.shopReference.map(Self.comparedForm(of:))
        state = event.isTest && !source.acceptsTest ? .quarantined : .waiting
        isKnown = event.isKnown
        report = event.report
        position = event.position
        self.receivedAt = receivedAt
        self.body = body
        self.bodyOf = bodyOf
    }
}

/// Why an authentic webhook, or one of its events, could not be read.
struct UnreadableWebhook: Hashable, CustomStringConvertible {
    /// The event's place in its batch; nil for the whole webhook.
    let event: Int?
    let description: String
}
