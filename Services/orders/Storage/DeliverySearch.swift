import Foundation
import OrderDomain
import PostgresClient

/// The SQL of the search for deliveries.
///
/// A prefix of a word finds live and recently ended deliveries, so that no index of the history is scanned at length. A
/// whole reference, a whole customer and a prefix of an id find a delivery of any age, each by its index.
enum DeliverySearch {
    /// A query of the ids that a term finds.
    ///
    /// - Parameters:
    ///   - scope: conditions over columns of `deliveries`: the deliveries visible to the reader.
    ///   - sealed: those that ``sealed(_:restrictions:scope:asOf:opening:on:)`` has found.
    static func ids(
        _ term: SearchTerm, restrictions: FilterRestrictions, scope: SQL, sealed: [DeliveryID] = [], asOf: Date
    ) -> SQL {
        let text: SQL = "lower(\(term.rawValue)::text)"
        let recentlyEnded: SQL = "ended_at > \(BoardRepository.endedAfter(asOf))"
        let customer: SQL = restrictions.customerAfterEnd ? "ended_at IS NULL AND " : ""
        var queries = ["ended_at IS NULL", recentlyEnded].map { condition in
            select(where: condition + " AND " + scope + " AND (" + beginnings(term, text, restrictions) + ")")
        }
        queries.append(select(where: scope + " AND order_id IN (" + orders(term.rawValue) + ")"))
        queries.append(select(where: scope + " AND " + customer + "lower(customer_id) = " + text))
        if !sealed.isEmpty {
            queries.append(select(where: scope + " AND delivery_id = ANY(\(sealed.map(\.rawValue))::text[])"))
        }
        if let beginning = term.beginningOfOldID {
            // Ids have digits, a to f and the hyphen: all that begins so is below the same with a g.
            let range: SQL = "COLLATE \"C\" BETWEEN \(beginning) AND \(beginning + "g")"
            queries.append(select(where: scope + " AND delivery_id " + range))
            queries.append(
                select(
                    where: scope + " AND order_id IN (SELECT order_id FROM orders WHERE order_id " + range + ")"))
        }
        return queries.dropFirst().reduce(queries[0]) { $0 + " UNION " + $1 }
    }

    /// A query of the ids of orders of a reference, in any case.
    static func orders(_ reference: String) -> SQL {
        "SELECT order_id FROM orders WHERE lower(reference) = lower(\(reference)::text)"
    }

    private static func select(where condition: SQL) -> SQL { "SELECT delivery_id FROM deliveries WHERE " + condition }

    /// Whether something that people know of a delivery begins with the text.
    private static func beginnings(_ term: SearchTerm, _ text: SQL, _ restrictions: FilterRestrictions) -> SQL {
        let customer: SQL = restrictions.customerAfterEnd ? "ended_at IS NULL AND " : ""
        let courier: SQL = restrictions.courierBeforePickup ? pickedUp + " AND " : ""
        let reference: SQL = "lower((SELECT reference FROM orders WHERE orders.order_id = deliveries.order_id))"
        // Hyphens alone would find every reference.
        return """
            starts_with(delivery_id, \(sql: text)) OR starts_with(order_id, \(sql: text))
            OR starts_with(\(sql: reference), \(sql: text))
            OR starts_with(replace(\(sql: reference), '-', ''), NULLIF(replace(\(sql: text), '-', ''), ''))
            OR \(sql: customer)starts_with(lower(customer_id), \(sql: text))
            OR courier_id IS NOT NULL AND \(sql: courier)(starts_with(lower(courier_id), \(sql: text))
                OR position(' ' || \(sql: unmarked(text)) IN ' ' || \(sql: unmarked(courierName))) > 0)
            \(sql: restrictions.dropOff ? "" : " OR " + dropOff(term, text))
            \(sql: term.referenceNumber.map(numbered) ?? "")
            """
    }

    private static let courierName: SQL = "snapshot->'courier'->>'name'"

    /// A text of small letters without their marks: `nørrebrogade` as `norrebrogade`.
    private static func unmarked(_ text: SQL) -> SQL {
        """
        translate(replace(replace(replace(lower(normalize(\(sql: text), NFD)), 'æ', 'ae'), 'Æ', 'ae'), 'ß', 'ss'),
            '\(raw: SearchTerm.wholeLetters + SearchTerm.marks)', '\(raw: SearchTerm.plainLetters)')
        """
    }

    private static func numbered(_ number: String) -> SQL {
        """
         OR regexp_replace((SELECT reference FROM orders WHERE orders.order_id = deliveries.order_id), '^[^0-9]*', '')
            = \(number)::text
        """
    }

    /// The digits of the recipient's number, as ``SearchTerm/finds(_:in:)`` compares them.
    private static let phoneDigits: SQL = """
        ltrim(regexp_replace(substring(replace(
            CASE WHEN octet_length(phone) = length(phone) THEN phone
                ELSE translate(phone, '\(raw: SearchTerm.foreignDigits)',
                    '\(raw: String(repeating: "0123456789", count: SearchTerm.foreignDigits.unicodeScalars.count / 10))')
            END,
            '(0)', '') FROM '[0-9][^[:alpha:],;#]*'), '[^0-9]', '', 'g'), '0')
        """

    /// Whether the text matches a word of the recipient's name, the beginning of the street, or the phone number.
    private static func dropOff(_ term: SearchTerm, _ text: SQL) -> SQL {
        let text = unmarked(text)
        let recipient = unmarked("drop_off->'recipient'->>'name'")
        let name: SQL = "position(' ' || \(sql: text) IN ' ' || \(sql: recipient)) > 0"
        let street: SQL = "starts_with(\(sql: unmarked("drop_off->'address'->>'street'")), \(sql: text))"
        guard let digits = term.phoneDigits else { return "\(sql: name) OR \(sql: street)" }
        return """
            \(sql: street)
            OR (SELECT length(digits) >= \(SearchTerm.phoneDigitsMin)
                    AND right(digits, length(\(digits)::text)) = right(\(digits)::text, length(digits))
                FROM (SELECT \(sql: phoneDigits) AS digits FROM (SELECT drop_off->'recipient'->>'phone' AS phone) AS stored
                    OFFSET 0) AS number)
            """
    }

    /// Whether the goods have left the store; from then on a customer sees the courier.
    static let pickedUp: SQL = "snapshot->>'pickedUpAt' IS NOT NULL"
}
