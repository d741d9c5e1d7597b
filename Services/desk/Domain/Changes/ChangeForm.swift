import DomainTime
import DoorstepAPI
import Foundation
import OrderDomain

/// A submitted change: its kind, its reason, and the delivery's version that the operator saw.
struct ChangeForm: Sendable {
    static let reasonCharactersMax = 200

    /// A fault of a form, for the operator.
    struct Fault: Error, Hashable, Sendable {
        /// The field that it is about.
        let field: String
        let text: String
    }

    let change: DeskChange
    let reason: String
    private(set) var version: Int

    /// - Parameters:
    ///   - timeZone: the store's, in which times are written.
    /// - Throws: ``Fault``.
    init(_ kind: DeskChange.Kind, _ fields: [String: String], timeZone: TimeZone) throws(Fault) {
        reason = (fields["reason"] ?? "").trimmingCharacters(in: .whitespacesAndNewlines)
        guard !reason.isEmpty else {
            throw Fault(field: "reason", text: "Give a reason: the delivery's timeline keeps it.")
        }
        guard Self.isReason(reason) else {
            throw Fault(
                field: "reason",
                text: "A reason has at most \(Self.reasonCharactersMax) characters, on one line.")
        }
        guard let version = Int(fields["version"] ?? ""), version > 0 else {
            throw Fault(field: "version", text: "The form is incomplete. Open the page again.")
        }
        self.version = version
        change = try Self.change(kind, fields, timeZone)
    }

    /// The same change of a later version of the delivery.
    func seeing(_ version: Int) -> ChangeForm {
        var form = self
        form.version = version
        return form
    }

    /// Whether a delivery has what this change gave it, a hold its reason too: another one is a later hold.
    func holds(in delivery: DeliveryBody) -> Bool {
        change.holds(in: delivery) && (change != .hold || delivery.reason == reason)
    }

    private static func change(
        _ kind: DeskChange.Kind, _ fields: [String: String], _ timeZone: TimeZone
    ) throws(Fault) -> DeskChange {
        switch kind {
        case .status:
            guard let status = StatusCode(rawValue: fields["status"] ?? "") else {
                throw Fault(field: "status", text: "Choose a status.")
            }
            return .status(status)
        case .courier:
            let text = courierText(fields)
            if text == "nobody" { return .courier(nil) }
            guard let courier = CourierID(rawValue: text) else {
                throw Fault(field: "courier", text: "Choose a courier, or type the id.")
            }
            // A form that takes a move back has the stops of the former courier.
            let isOfCourier = fields["former"].map { $0 == text } ?? true
            guard isOfCourier, let number = fields["stops"], !number.isEmpty else { return .courier(courier) }
            guard let stops = Int(number), TripBody.stopsBeforeRange.contains(stops) else {
                throw Fault(field: "stops", text: "Write how many doors come before this one, 0 to 50.")
            }
            return .courier(courier, stopsBefore: stops)
        case .promise:
            guard let start = date("start", fields, timeZone) else {
                throw Fault(field: "start", text: "Write a date and a time, such as 2026-11-24T18:00.")
            }
            guard let end = date("end", fields, timeZone), let promise = Promise(start: start, end: end) else {
                throw Fault(field: "end", text: "Write a date and a time after the start.")
            }
            return .promise(promise)
        case .trip:
            guard let stops = Int(fields["stops"] ?? ""), TripBody.stopsBeforeRange.contains(stops) else {
                throw Fault(field: "stops", text: "Write how many stops come before this one, 0 to 50.")
            }
            return .trip(stopsBefore: stops)
        case .item: return try item(fields)
        case .addItem:
            let name = (fields["name"] ?? "").trimmingCharacters(in: .whitespacesAndNewlines)
            guard !name.isEmpty else { throw Fault(field: "name", text: "Name the item.") }
            guard let quantity = Int(fields["quantity"] ?? "1"), (1...999).contains(quantity) else {
                throw Fault(field: "quantity", text: "Write how many of it are added, 1 to 999.")
            }
            let itemClass = (fields["class"] ?? "").trimmingCharacters(in: .whitespacesAndNewlines).lowercased()
            return .addItem(name: name, quantity: quantity, itemClass: itemClass.isEmpty ? nil : itemClass)
        case .dropOff: return .dropOff(try dropOff(fields))
        case .recipient: return .recipient(recipient(fields))
        case .settleCorrection:
            guard let due = CorrectionDue(rawValue: fields["due"] ?? "") else {
                throw Fault(field: "due", text: "Choose what was done.")
            }
            return .settleCorrection(due)
        case .hold: return .hold
        case .release: return .release
        case .resend: return .resend
        case .endCards: return .endCards
        }
    }

    /// The courier's id as it is chosen or typed, without white space around it.
    static func courierText(_ fields: [String: String]) -> String {
        (fields["courier"] ?? "").trimmingCharacters(in: .whitespacesAndNewlines)
    }

    private static func item(_ fields: [String: String]) throws(Fault) -> DeskChange {
        guard let item = ItemID(rawValue: fields["item"] ?? "") else {
            throw Fault(field: "item", text: "Choose an item.")
        }
        guard let status = ItemStatus(rawValue: fields["itemStatus"] ?? "") else {
            throw Fault(field: "itemStatus", text: "Choose the item's status.")
        }
        let substitute = (fields["substitute"] ?? "").trimmingCharacters(in: .whitespacesAndNewlines)
        guard !substitute.isEmpty || !status.hasSubstitute else {
            throw Fault(field: "substitute", text: "Name the substitute.")
        }
        guard substitute.isEmpty || status.hasSubstitute else {
            throw Fault(field: "substitute", text: "Choose a status with a substitute, or leave the substitute out.")
        }
        return .item(item, status, substitute: substitute.isEmpty ? nil : substitute)
    }

    // MARK: Times

    /// A time as forms write it: `2026-11-24T18:00`, in a zone.
    static func text(_ date: Date, in timeZone: TimeZone) -> String {
        let parts = Calendar.gregorian(in: timeZone).dateComponents([.year, .month, .day, .hour, .minute], from: date)
        func two(_ number: Int?) -> String { (number ?? 0) < 10 ? "0\(number ?? 0)" : "\(number ?? 0)" }
        let day = "\(parts.year ?? 0)-\(two(parts.month))-\(two(parts.day))"
        return "\(day)T\(two(parts.hour)):\(two(parts.minute))"
    }

    /// The fields of a promise.
    static var timeNames: [String] { ["start", "end"].flatMap { [$0, exactName(of: $0)] } }

    /// The hidden field with the exact time behind a time field, in epoch seconds.
    ///
    /// At the end of daylight saving time an hour repeats, and a form writes its two instants alike: an unchanged field
    /// keeps its instant.
    static func exactName(of field: String) -> String { "\(field)-exact" }

    /// The exact time behind a time field; nil without one.
    static func exactDate(_ field: String, _ fields: [String: String]) -> Date? {
        fields[exactName(of: field)].flatMap { Int($0) }.map { Date(timeIntervalSince1970: Double($0)) }
    }

    private static func date(_ field: String, _ fields: [String: String], _ timeZone: TimeZone) -> Date? {
        if let exact = exactDate(field, fields), fields[field].map({ $0 == text(exact, in: timeZone) }) ?? true {
            return exact
        }
        return date(fields[field], timeZone)
    }

    static func date(_ text: String?, _ timeZone: TimeZone) -> Date? {
        let numbers = (text ?? "").split { $0 == "-" || $0 == "T" || $0 == ":" }.map { Int($0) }
        guard numbers.count >= 5, !numbers.contains(nil) else { return nil }
        let parts = DateComponents(
            year: numbers[0], month: numbers[1], day: numbers[2], hour: numbers[3], minute: numbers[4])
        guard let date = Calendar.gregorian(in: timeZone).date(from: parts),
            Self.text(date, in: timeZone) == text?.prefix(16) ?? ""
        else { return nil }
        return date
    }

    // MARK: Reasons

    /// The fields of a form of kind `hold` that restores a former hold with its reason; empty for a reason that no form
    /// may have, such as a provider's long one.
    static func fields(ofHold reason: String?) -> [String: String] {
        reason.flatMap { isReason($0) ? ["reason": $0] : nil } ?? [:]
    }

    private static func isReason(_ text: String) -> Bool {
        (1...reasonCharactersMax).contains(text.unicodeScalars.count)
            && !text.unicodeScalars.contains { $0.properties.generalCategory == .control }
    }
}
