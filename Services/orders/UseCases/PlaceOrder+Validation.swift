import DoorstepAPI
import Foundation
import OrderDomain
import ServiceRuntime

extension PlaceOrder {
    /// One rule that a body breaks, and where.
    struct Violation: Hashable, Sendable {
        /// A JSON path: `deliveries[0].items[2].name`.
        let path: String
        let message: String
    }

    struct ValidationFailure: Error, Hashable, Sendable {
        let violations: [Violation]
    }

    /// Every rule that a body breaks, not only the first.
    static func violations(in body: PlaceOrderBody) -> [Violation] {
        var check = Check()
        check.name(body.reference, "reference", charactersMax: referenceCharactersMax)
        check.name(body.store.name, "store.name")
        check.require(
            TimeZone(identifier: body.store.timeZone) != nil, "store.timeZone", "must be an IANA time zone")
        check.require(
            body.store.currency?.isKnown ?? true, "store.currency", "must be an ISO 4217 code, such as DKK")
        check.require(
            (1...deliveriesMax).contains(body.deliveries.count), "deliveries",
            "must be 1 to \(deliveriesMax) deliveries")
        for (index, part) in body.deliveries.prefix(deliveriesMax).enumerated() {
            check.part(part, "deliveries[\(index)].items")
        }
        return check.violations
    }

    /// Collects the violations of one body.
    private struct Check {
        var violations: [Violation] = []

        mutating func require(_ holds: Bool, _ path: String, _ message: String) {
            if !holds { violations.append(Violation(path: path, message: message)) }
        }

        mutating func name(_ name: String, _ path: String, charactersMax: Int = PlaceOrder.nameCharactersMax) {
            require(
                name.isPlainText(charactersMax: charactersMax), path,
                "must be 1 to \(charactersMax) characters, none a control one")
        }

        mutating func part(_ part: PlaceOrderBody.Part, _ path: String) {
            require((1...itemsMax).contains(part.items.count), path, "must be 1 to \(itemsMax) lines")
            require(Set(part.items.map(\.id)).count == part.items.count, path, "must not name an item twice")
            for (index, item) in part.items.prefix(itemsMax).enumerated() {
                name(item.name, "\(path)[\(index)].name")
                require((1...999).contains(item.quantity ?? 1), "\(path)[\(index)].quantity", "must be 1 to 999")
            }
        }
    }
}
