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
    /// The receipts of an authentic webhook: one receipt an event, or one of an unreadable body.
    ///
    /// - Parameters:
    ///   - receivedAt: domain time.
    ///   - makeUUID: makes receipts' ids.
    /// - Returns: the receipts, and why the body is unreadable where it is.
    static func receipts(
        of body: Data, charset: String?, from source: Source, receivedAt: Date, depthMax: Int,
        isNested: (Int, Data) -> Bool, makeUUID: () -> UUID
    ) -> (receipts: [Receipt], fault: UnreadableWebhook?) {
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
            let receipts = events.enumerated().map { index, event in
                Receipt(
                    event, of: source, id: index == 0 ? first : makeUUID(), at: receivedAt,
                    body: index == 0 ? body : nil, bodyOf: index == 0 ? nil : first)
            }
            return (receipts, nil)
        } catch {
            return unreadable(body, from: source, at: receivedAt, makeUUID(), error.description)
        }
    }

    private static func unreadable(
        _ body: Data, from source: Source, at receivedAt: Date, _ id: UUID, _ fault: String
    ) -> (receipts: [Receipt], fault: UnreadableWebhook?) {
        let receipt = Receipt(
            id: id, source: source.id, store: source.store,
            key: "body|" + Hexadecimal.encode(SHA256.hash(data: body)), kind: fault, references: [],
            shopReference: nil, state: .unreadable, isKnown: false, report: nil, position: nil, receivedAt: receivedAt,
            body: body, bodyOf: nil)
        return ([receipt], UnreadableWebhook(description: fault))
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

/// Why an authentic webhook could not be read.
struct UnreadableWebhook: Error, Hashable, CustomStringConvertible {
    let description: String
}
