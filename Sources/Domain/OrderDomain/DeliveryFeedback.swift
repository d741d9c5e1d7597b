public import Foundation

/// The customer's word about a delivery that was delivered: all right, or what is wrong.
public struct DeliveryFeedback: Hashable, Codable, Sendable {
    public enum Kind: String, CaseIterable, Hashable, Codable, Sendable {
        case allRight = "all_right"
        /// Goods are missing from the bag.
        case missing
        case damaged
        /// The bag is another customer's.
        case notMine = "not_mine"
        /// Nothing is at the door.
        case notHere = "not_here"

        public var isProblem: Bool { self != .allRight }
    }

    /// Domain seconds since the end is known within which a customer may give feedback and change it.
    ///
    /// The same 12 hours as a courier has to report a mistaken hand-over, and less than the 13 hours for which the resync
    /// publishes an ended delivery again: a press is in time for every reader, even where the broker was lost after it.
    /// Those 13 hours count from the end itself: where it was confirmed later, no resync repeats the last presses.
    public static let windowSeconds: TimeInterval = 12 * 3_600

    public let kind: Kind
    /// The items that it is about, in the order of the basket; empty for the whole delivery.
    public let items: [ItemID]
    /// When the customer gave it, or changed it last.
    public let at: Date
    /// Whether it opened the dispute of the end, which it then closes if it becomes ``Kind/allRight``.
    public internal(set) var opensDispute: Bool
    /// When an operator decided about it; nil before that, and for a delivery that is all right.
    public internal(set) var settledAt: Date?
}

extension Delivery {
    /// Whether the customer may give feedback now, or change it.
    public func acceptsFeedback(at now: Date) -> Bool {
        guard status == .handedOver(.delivered), let endKnownAt, feedback?.settledAt == nil else { return false }
        return now.timeIntervalSince(endKnownAt) <= DeliveryFeedback.windowSeconds
    }

    /// Records the customer's feedback; a problem disputes the end, so that an operator decides about it.
    ///
    /// A dispute that the courier opened stays as it is, whatever the customer answers.
    mutating func recordFeedback(
        _ kind: DeliveryFeedback.Kind, about ids: [ItemID], at now: Date
    ) throws(ChangeRefusal) {
        guard status == .handedOver(.delivered) else { throw .notDelivered(status.code) }
        for id in ids where !items.contains(where: { $0.id == id }) { throw .unknownItem(id, known: items.map(\.id)) }
        let named = kind.isProblem ? items.map(\.id).filter(ids.contains) : []
        if let feedback, feedback.kind == kind, feedback.items == named { return }
        guard feedback?.settledAt == nil else { throw .tooLate("the store has decided about it already") }
        guard acceptsFeedback(at: now) else {
            throw .tooLate(
                "it was delivered more than \(Int(DeliveryFeedback.windowSeconds / 3_600)) hours ago; call the store")
        }
        let isOwnDispute = feedback?.opensDispute == true
        let opensDispute = kind.isProblem && (isOwnDispute || disputedAt == nil)
        if opensDispute {
            let names = items.filter { named.contains($0.id) }.map(\.name)
            try dispute(reason: "customer: \(kind.text(naming: names))", at: now)
        } else if isOwnDispute {
            disputedAt = nil
            if episode == 1 { flags.remove(.disputed) }
            reason = nil
        }
        feedback = DeliveryFeedback(
            kind: kind, items: named, at: now, opensDispute: opensDispute, settledAt: nil)
    }

    /// Records that an operator decided about the customer's problem; what is all right needs no decision.
    mutating func settleFeedback(at now: Date) {
        if feedback?.kind.isProblem == true { feedback?.settledAt = now }
    }
}

extension DeliveryFeedback.Kind {
    /// Names of items in a text for operators; the feedback has all of them.
    private static let namedItemsMax = 3
    private static let nameCharactersMax = 60

    /// The kind in words, for operators: `missing`, `not theirs`.
    public var words: String {
        switch self {
        case .allRight: "all right"
        case .missing: "missing"
        case .damaged: "damaged"
        case .notMine: "not theirs"
        case .notHere: "not there"
        }
    }

    /// The kind with the first of its items, for operators: `missing: Oat milk, Rye bread`.
    public func text(naming names: [String]) -> String {
        let shown = names.prefix(Self.namedItemsMax).map { String($0.prefix(Self.nameCharactersMax)) }
        let more = names.count > shown.count ? ["\(names.count - shown.count) more"] : []
        return names.isEmpty ? words : "\(words): \((shown + more).joined(separator: ", "))"
    }
}
