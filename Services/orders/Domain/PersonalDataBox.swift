import Foundation
import OrderDomain
import TextCoding
import WireCoding

/// Seals what the database has of people at doors, and couriers' numbers, so that a copy of it alone reveals neither.
///
/// A sealed text is the key's id, a colon, and what ``SecretBox`` made in base64url. Its row's id is authenticated with
/// it, so that no row can be given another's. Both forms are read: a row is sealed when it is written next, or by
/// ``SealPersonalData``.
struct PersonalDataBox: Sendable {
    /// A row that cannot be opened; it names the row and the key, and has nothing of the content.
    struct Unreadable: Error, Hashable, CustomStringConvertible {
        let description: String
    }

    /// Keeps everything readable, and opens nothing.
    static let readable = PersonalDataBox(nil, seals: false)

    /// Nil where the installation has no keys.
    private let box: SecretBox?
    /// Whether what is written is sealed; what is sealed is opened in any case.
    let seals: Bool
    private let report: @Sendable (Unreadable) -> Void

    /// - Parameter report: called with each row that cannot be opened.
    init(_ box: SecretBox?, seals: Bool, report: @escaping @Sendable (Unreadable) -> Void = { _ in }) {
        self.box = box
        self.seals = seals && box != nil
        self.report = report
    }

    /// Whether there may be sealed rows.
    var hasKeys: Bool { box != nil }

    /// How the texts begin that are sealed with the present key; nil where nothing is sealed.
    var presentKey: String? { seals ? box.map { "\($0.keyID):" } : nil }

    // MARK: Drop-offs

    /// The JSON that is stored of a delivery's drop-off: an object, or a sealed text.
    ///
    /// - Throws: an error of the encoder or of the cryptographic library.
    func stored(_ dropOff: DropOff, of delivery: DeliveryID) throws -> String {
        let json = String(decoding: try WireJSON.encode(dropOff), as: UTF8.self)
        guard seals, let box else { return json }
        return "\"\(try Self.seal(json, of: Self.owner(delivery), by: box))\""
    }

    /// The drop-off of a delivery from its stored JSON.
    ///
    /// - Throws: ``Unreadable``, which is reported; a decoding error.
    func dropOff(in json: String, of delivery: DeliveryID) throws -> DropOff {
        guard Self.isSealed(json: json) else { return try WireJSON.decode(DropOff.self, from: Data(json.utf8)) }
        let text = try open(json.dropFirst().dropLast(), of: Self.owner(delivery), row: "the drop-off of \(delivery)")
        return try WireJSON.decode(DropOff.self, from: Data(text.utf8))
    }

    /// Whether a stored drop-off is sealed: a JSON text, where one in clear is an object.
    static func isSealed(json: String) -> Bool { json.utf8.first == UInt8(ascii: "\"") }

    // MARK: Couriers' numbers

    /// A change with its courier's number sealed, so that no row and no message has it readable.
    ///
    /// - Parameter present: the delivery's courier; the same number stays as it is sealed there, so that nothing changes.
    /// - Throws: an error of the cryptographic library.
    func sealing(_ change: DeliveryChange, present: Courier?) throws -> DeliveryChange {
        guard seals else { return change }
        switch change {
        case .courier(let courier?, let stopsBefore):
            return .courier(try sealed(courier, present: present), stopsBefore: stopsBefore)
        case .report(let report):
            guard let courier = report.courier, courier.phone != nil else { return change }
            return .report(report.with(courier: try sealed(courier, present: present)))
        default: return change
        }
    }

    /// The courier with the number sealed.
    ///
    /// - Throws: an error of the cryptographic library.
    func sealed(_ courier: Courier, present: Courier? = nil) throws -> Courier {
        guard seals, let box, let phone = courier.phone else { return courier }
        if let present, present.id == courier.id, let known = present.phone, Self.isSealed(known),
            let number = self.phone(of: present), number == self.phone(of: courier)
        {
            return courier.with(phone: known)
        }
        if Self.isSealed(phone) { return courier }
        return courier.with(phone: try Self.seal(phone, of: Self.owner(courier.id), by: box))
    }

    /// The courier with the number under the present key; nil without a number, and where it cannot be opened.
    ///
    /// - Throws: an error of the cryptographic library.
    func resealed(_ courier: Courier) throws -> Courier? {
        guard let phone = phone(of: courier) else { return nil }
        return try sealed(courier.with(phone: phone))
    }

    /// The courier's number; nil without one, and where it cannot be opened, which is reported.
    func phone(of courier: Courier) -> String? {
        guard let phone = courier.phone, Self.isSealed(phone) else { return courier.phone }
        // The reader is shown none; the operator of the installation finds the reason in the log.
        return try? open(phone[...], of: Self.owner(courier.id), row: "the number of courier \(courier.id)")
    }

    /// Longer than any number that a request may have, and no number.
    private static func isSealed(_ phone: String) -> Bool {
        phone.wholeMatch(of: #/[0-9]{1,3}:[A-Za-z0-9_-]{40,}/#) != nil
    }

    // MARK: Sealing

    private static func owner(_ delivery: DeliveryID) -> String { "drop-off \(delivery)" }
    private static func owner(_ courier: CourierID) -> String { "number \(courier)" }

    private static func seal(_ text: String, of owner: String, by box: SecretBox) throws -> String {
        "\(box.keyID):\(Base64URL.encode(try box.seal(text, of: owner)))"
    }

    private func open(_ sealed: Substring, of owner: String, row: String) throws(Unreadable) -> String {
        let parts = sealed.split(separator: ":", maxSplits: 1)
        let reason: String
        switch (box, parts.count == 2 ? Base64URL.decode(parts[1]) : nil) {
        case (_, nil): reason = "is damaged"
        case (nil, _): reason = "is sealed with key \(parts[0]), and pins.keys.file is not set"
        case (let box?, let bytes?):
            do { return try box.open(bytes, of: owner) } catch SecretKeyError.unknownKey {
                reason = "is sealed with key \(parts[0]), which pins.keys.file does not have"
            } catch {
                reason = "is sealed with another key \(parts[0]), damaged, or of another row"
            }
        }
        let unreadable = Unreadable(description: "\(row) \(reason)")
        report(unreadable)
        throw unreadable
    }
}

extension Courier {
    fileprivate func with(phone: String) -> Courier { Courier(id: id, name: name, vehicle: vehicle, phone: phone) }
}

extension ProviderReport {
    fileprivate func with(courier: Courier) -> ProviderReport {
        ProviderReport(
            source: source, sourceName: sourceName, id: id, kind: kind, status: status, courier: courier,
            occurredAt: occurredAt, receivedAt: receivedAt, reason: reason, isLate: isLate, proofs: proofs)
    }
}
