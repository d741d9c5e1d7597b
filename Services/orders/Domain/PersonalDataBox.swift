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
    /// The keys under which a row may stay: those in use, and those that wait to be, with which a replica that was
    /// restarted earlier seals.
    let kept: Set<UInt8>
    /// Receives each row that cannot be opened.
    let report: @Sendable (Unreadable) -> Void

    /// - Parameters:
    ///   - retired: the keys that another one has replaced.
    ///   - report: called with each row that cannot be opened.
    init(
        _ box: SecretBox?, seals: Bool, retired: Set<UInt8> = [],
        report: @escaping @Sendable (Unreadable) -> Void = { _ in }
    ) {
        self.box = box
        self.seals = seals && box != nil
        kept = box.map { $0.keyIDs.subtracting(retired) } ?? []
        self.report = report
    }

    /// Whether there may be sealed rows.
    var hasKeys: Bool { box != nil }

    // MARK: Drop-offs

    /// The JSON that is stored of a delivery's drop-off: an object, or a sealed text.
    ///
    /// - Throws: an error of the encoder or of the cryptographic library.
    func stored(_ dropOff: DropOff, of delivery: DeliveryID) throws -> String {
        let json = String(decoding: try WireJSON.encode(dropOff), as: UTF8.self)
        guard seals, let box else { return json }
        return "\"\(Self.text(try box.seal(json, of: Self.owner(delivery)), by: box))\""
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

    /// A change with its courier's number as it is written, so that no row and no message has it readable where the
    /// installation seals.
    ///
    /// - Parameter present: the delivery's courier; the same number stays as it is written there, so that nothing changes.
    /// - Throws: an error of the cryptographic library.
    func written(_ change: DeliveryChange, present: Courier?) throws -> DeliveryChange {
        guard hasKeys else { return change }
        switch change {
        case .courier(let courier?, let stopsBefore):
            return .courier(try written(courier, present: present), stopsBefore: stopsBefore)
        case .report(let report):
            guard let courier = report.courier, courier.phone != nil else { return change }
            return .report(report.with(courier: try written(courier, present: present)))
        default: return change
        }
    }

    /// A delivery with the number of each of its couriers as it is written.
    ///
    /// - Throws: an error of the cryptographic library.
    func written(_ delivery: Delivery) throws -> Delivery {
        guard hasKeys else { return delivery }
        return try delivery.replacingCouriers { try written($0) }
    }

    /// The courier with the number as it is written: sealed with a key that is not retired, or in clear.
    ///
    /// A number that cannot be opened stays as it is.
    /// - Throws: an error of the cryptographic library.
    func written(_ courier: Courier, present: Courier? = nil) throws -> Courier {
        guard let box, let phone = courier.phone else { return courier }
        if let present, present.id == courier.id, let known = present.phone, known != phone, !isDue(known),
            let number = self.phone(of: present), number == self.phone(of: courier)
        {
            return courier.with(phone: known)
        }
        guard isDue(phone), let number = self.phone(of: courier) else { return courier }
        guard seals else { return courier.with(phone: number) }
        // The same number of a courier is the same text, so that a repeated description changes no row.
        let sealed = try box.sealRepeatably(number, of: Self.owner(courier.id))
        return courier.with(phone: Self.text(sealed, by: box))
    }

    /// Whether a number has not the form in which it is written now.
    private func isDue(_ phone: String) -> Bool {
        guard let key = Self.key(of: phone) else { return seals }
        return !(seals && kept.contains(key))
    }

    /// The courier's number; nil without one, and where it cannot be opened, which is reported.
    func phone(of courier: Courier) -> String? {
        // The reader is shown none; the operator of the installation finds the reason in the log.
        try? number(of: courier)
    }

    /// The courier's number; nil without one.
    ///
    /// - Throws: ``Unreadable``, which is reported.
    func number(of courier: Courier) throws(Unreadable) -> String? {
        guard let phone = courier.phone, Self.isSealed(phone) else { return courier.phone }
        return try open(phone[...], of: Self.owner(courier.id), row: "the number of courier \(courier.id)")
    }

    /// A courier's number as it is written.
    ///
    /// - Throws: an error of the cryptographic library.
    func written(number: String?, of courier: CourierID) throws -> String? {
        try written(Courier(id: courier, name: "", vehicle: .bicycle, phone: number)).phone
    }

    /// A courier who is erased with the numbers in clear, as texts may have them.
    ///
    /// - Throws: ``Unreadable``, which is reported: a number that cannot be opened would stay in texts.
    func opened(_ erased: ErasedCourier) throws(Unreadable) -> ErasedCourier {
        var numbers: [String] = []
        for phone in erased.phones {
            let courier = Courier(id: erased.id, name: "", vehicle: .bicycle, phone: phone)
            if let number = try number(of: courier) { numbers.append(number) }
        }
        return ErasedCourier(
            id: erased.id, pseudonym: erased.pseudonym, names: erased.names, phones: Set(numbers).sorted())
    }

    private static func isSealed(_ phone: String) -> Bool { key(of: phone) != nil }

    /// The key of a sealed number, which is longer than any that a request may have; nil for one in clear.
    private static func key(of phone: String) -> UInt8? {
        guard let colon = phone.utf8.prefix(4).firstIndex(of: UInt8(ascii: ":")) else { return nil }
        let sealed = phone.utf8[colon...].dropFirst()
        guard sealed.count >= sealedBytesMin, sealed.allSatisfy({ Character(UnicodeScalar($0)).isInBase64URL }) else {
            return nil
        }
        return UInt8(phone[..<colon])
    }

    /// Bytes of the shortest sealed text, behind its colon.
    static let sealedBytesMin = 40

    // MARK: Sealing

    private static func owner(_ delivery: DeliveryID) -> String { "drop-off \(delivery)" }
    private static func owner(_ courier: CourierID) -> String { "number \(courier)" }

    private static func text(_ sealed: [UInt8], by box: SecretBox) -> String {
        "\(box.keyID):\(Base64URL.encode(sealed))"
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

extension Character {
    fileprivate var isInBase64URL: Bool { isASCII && (isLetter || isNumber) || self == "-" || self == "_" }
}

extension Courier {
    func with(phone: String?) -> Courier { Courier(id: id, name: name, vehicle: vehicle, phone: phone) }
}
