package import OrderDomain

/// The requests of clients to a stack, with their acknowledgements.
package struct Ledger: Hashable, Sendable {
    /// One change that a client requested, with a text that no other line of the delivery's timeline has.
    package struct Change: Hashable, Sendable {
        package enum Outcome: String, Hashable, Sendable {
            /// No final answer yet.
            case open
            /// 2xx: it is durable.
            case acknowledged
            /// 2xx without a change: another client had made it before.
            case alreadySo
            /// A final 4xx.
            case refused
        }

        package let delivery: String
        /// The whole reason of its line, or a part of what the line describes.
        package let marker: String
        /// The status that the change sets; nil for other changes.
        package let status: StatusCode?
        package var outcome = Outcome.open

        package init(delivery: String, marker: String, status: StatusCode?) {
            self.delivery = delivery
            self.marker = marker
            self.status = status
        }
    }

    /// Acknowledged orders: their deliveries, by reference.
    package private(set) var orders: [String: [String]] = [:]
    /// The changes by delivery, in the order of the requests.
    package private(set) var changes: [String: [Change]] = [:]
    /// Times of acknowledged fixes in milliseconds since 1970, by courier.
    package private(set) var fixes: [String: Set<Int>] = [:]
    /// Reports of accepted provider webhooks, by delivery.
    private var acceptedReports: [String: Set<String>] = [:]
    /// Deliveries whose provider reference the shop has set: reports for others wait.
    private var named: Set<String> = []
    package private(set) var acknowledgedCount = 0

    package init() {}

    package mutating func placed(_ reference: String, deliveries: [String]) {
        if orders.updateValue(deliveries, forKey: reference) == nil { acknowledgedCount += 1 }
        for delivery in deliveries where changes[delivery] == nil { changes[delivery] = [] }
    }

    /// Notes a change before it is asked for.
    package mutating func asked(_ change: Change) { changes[change.delivery, default: []].append(change) }

    package mutating func settled(_ marker: String, of delivery: String, _ outcome: Change.Outcome) {
        guard let index = changes[delivery]?.lastIndex(where: { $0.marker == marker }) else {
            preconditionFailure("a change is asked for before it is settled")
        }
        changes[delivery]?[index].outcome = outcome
        if outcome == .acknowledged { acknowledgedCount += 1 }
    }

    package mutating func fixed(_ courier: String, at milliseconds: some Sequence<Int>) {
        fixes[courier, default: []].formUnion(milliseconds)
    }

    /// Records the acknowledgement of a provider's reference of a delivery.
    package mutating func named(_ delivery: String) { named.insert(delivery) }

    /// Records that a webhook with these reports was accepted.
    package mutating func reported(_ reports: some Sequence<String>, of delivery: String) {
        acceptedReports[delivery, default: []].formUnion(reports)
    }

    /// The reports that the delivery's timeline must have.
    package func reports(of delivery: String) -> Set<String> {
        named.contains(delivery) ? acceptedReports[delivery] ?? [] : []
    }

    package var reportCount: Int { acceptedReports.values.reduce(0) { $0 + $1.count } }

    package var deliveries: [String] { changes.keys.sorted() }
    package var fixCount: Int { fixes.values.reduce(0) { $0 + $1.count } }
}
