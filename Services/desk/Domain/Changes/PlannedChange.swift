import DeliveryDiagnosis
import Foundation
import OrderDomain

/// One delivery's part in a change of several, as a page's form has it.
struct PlannedChange: Hashable, Sendable {
    let delivery: DeliveryID
    /// The delivery's version that the operator saw.
    let version: Int
    /// The fields of a ``ChangeForm``, besides its version and its reason.
    let fields: [String: String]
    /// The fields of the reverse change; nil where there is none, and before the change is planned.
    let former: [String: String]?

    init(_ delivery: DeliveryID, version: Int, fields: [String: String] = [:], former: [String: String]? = nil) {
        (self.delivery, self.version, self.fields, self.former) = (delivery, version, fields, former)
    }

    init(_ move: PlannedMove) {
        self.init(move.delivery, version: move.version, fields: move.target.fields, former: move.former.fields)
    }

    /// The reverse change, after this one; nil where there is none.
    ///
    /// - Parameter version: the delivery's version after this change.
    func undone(at version: Int) -> PlannedChange? {
        former.map { PlannedChange(delivery, version: version, fields: $0, former: fields) }
    }
}

extension PlannedChange {
    /// No fields.
    private static let none = "*"

    /// The value of a form: id and version, as rows of the board have them, then the fields, then those of the reverse.
    var text: String {
        let parts = former.map { [fields, $0] } ?? (fields.isEmpty ? [] : [fields])
        return (["\(delivery)", "\(version)"] + parts.map(Self.text)).joined(separator: " ")
    }

    init?(_ text: String) {
        // By bytes: a letter may combine with the character before or behind it, a separator too.
        let parts = text.utf8.split(separator: UInt8(ascii: " ")).map { String(decoding: $0, as: UTF8.self) }
        guard (2...4).contains(parts.count), let delivery = DeliveryID(rawValue: parts[0]),
            let version = Int(parts[1])
        else { return nil }
        let fields = parts.dropFirst(2).compactMap(Self.fields)
        guard fields.count == parts.count - 2 else { return nil }
        self.init(
            delivery, version: version, fields: fields.first ?? [:], former: fields.count > 1 ? fields[1] : nil)
    }

    private static func text(_ fields: [String: String]) -> String {
        let query = fields.sorted { $0.key < $1.key }.map { "\($0.key)=\(encoded($0.value))" }.joined(separator: "&")
        return query.isEmpty ? none : query
    }

    /// Encodes what is ASCII; the form encodes each byte of other letters, in three bytes in place of five.
    private static func encoded(_ value: String) -> String {
        value.unicodeScalars.map { scalar in
            guard scalar.isASCII else { return String(scalar) }
            return String(scalar).addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        }.joined()
    }

    private static func fields(_ text: String) -> [String: String]? {
        guard text != none else { return [:] }
        var fields: [String: String] = [:]
        for field in text.utf8.split(separator: UInt8(ascii: "&")) {
            let parts = field.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
                .map { String(decoding: $0, as: UTF8.self) }
            guard parts.count == 2, let value = parts[1].removingPercentEncoding else { return nil }
            fields[parts[0]] = value
        }
        return fields
    }
}

extension PlannedMove.Place {
    /// The fields of a ``ChangeForm`` of kind `courier`.
    var fields: [String: String] {
        guard let courier else { return ["courier": "nobody"] }
        return ["courier": courier.rawValue].merging(stopsBefore.map { ["stops": "\($0)"] } ?? [:]) { $1 }
    }
}
