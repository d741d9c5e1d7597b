/// A part of a placed delivery that a correction changes; snapshots and events name it without its value.
public enum CorrectedField: String, CaseIterable, Hashable, Comparable, Codable, Sendable {
    /// The door's position.
    case door
    case recipientName = "recipient_name"
    case recipientPhone = "recipient_phone"
    case street, floor
    case postalCode = "postal_code"
    case city
    case doorCode = "door_code"
    case note
    /// Items that were added after the order was placed.
    case items

    public static func < (one: CorrectedField, other: CorrectedField) -> Bool { one.rawValue < other.rawValue }

    /// Whether the field names the door's place, so that a change of it needs the door's position too.
    public var locatesDoor: Bool {
        switch self {
        case .street, .postalCode, .city: true
        case .door, .floor, .doorCode, .note, .recipientName, .recipientPhone, .items: false
        }
    }

    /// Whether the field is the door's position or part of its address.
    public var isOfAddress: Bool {
        switch self {
        case .door, .street, .floor, .postalCode, .city, .doorCode: true
        case .note, .recipientName, .recipientPhone, .items: false
        }
    }
}

/// New values for the door, the address, the recipient and the note of a placed delivery.
public struct DropOffCorrection: Hashable, Sendable {
    /// The door's new position; nil leaves the present one.
    public let door: Coordinate?
    /// The new texts; nil removes a text.
    public let texts: [CorrectedField: String?]
    /// Whether it is the shop's decision about an address that the customer asked for.
    let decides: Bool

    /// A correction of the door, or of what locates it, is that decision; one of a floor or a code alone is not.
    public init(door: Coordinate? = nil, texts: [CorrectedField: String?] = [:]) {
        self.init(
            door: door, texts: texts, decides: door != nil || texts.keys.contains(where: \.locatesDoor))
    }

    private init(door: Coordinate?, texts: [CorrectedField: String?], decides: Bool) {
        self.door = door
        self.texts = texts
        self.decides = decides
    }

    /// The parts that it changes, sorted.
    public var fields: [CorrectedField] { ((door == nil ? [] : [.door]) + Array(texts.keys)).sorted() }

    /// The correction without the values that the delivery already has.
    ///
    /// - Throws: ``ChangeRefusal/doorMissing`` where another street, postal code or city comes without a position:
    ///   couriers' maps and estimates use the position.
    public func changes(of door: Coordinate, _ dropOff: DropOff?) throws(ChangeRefusal) -> DropOffCorrection {
        let others = texts.filter { dropOff?[$0.key] != $0.value }
        if self.door == nil, others.keys.contains(where: \.locatesDoor) { throw .doorMissing }
        let next = DropOffCorrection(door: self.door == door ? nil : self.door, texts: others)
        // Another floor of the same house is confirmed without a position.
        let given = (try? next.corrected(dropOff))?.address
        let isAsked = given != nil && given == dropOff?.requestedAddress
        return DropOffCorrection(door: next.door, texts: others, decides: next.decides || isAsked)
    }

    /// The drop-off after the correction; nil where no text is left.
    ///
    /// - Throws: ``ChangeRefusal/incomplete(_:)`` for an address without a street, and for a number without a name.
    public func corrected(_ dropOff: DropOff?) throws(ChangeRefusal) -> DropOff? {
        func text(_ field: CorrectedField) -> String? {
            if let changed = texts[field] { return changed }
            return dropOff?[field]
        }
        let address = text(.street).map {
            Address(
                street: $0, floor: text(.floor), postalCode: text(.postalCode), city: text(.city),
                doorCode: text(.doorCode))
        }
        let besidesStreet: [CorrectedField] = [.floor, .postalCode, .city, .doorCode]
        if address == nil, besidesStreet.contains(where: { text($0) != nil }) { throw .incomplete(.street) }
        let recipient = text(.recipientName).map { Recipient(name: $0, phone: text(.recipientPhone)) }
        if recipient == nil, text(.recipientPhone) != nil { throw .incomplete(.recipientName) }
        return DropOff(
            recipient: recipient, address: address, note: text(.note),
            requestedAddress: decides ? nil : dropOff?.requestedAddress)
    }
}

extension DeliveryChange {
    /// The drop-off after the change; the same one after a change of other parts.
    ///
    /// - Throws: ``ChangeRefusal/incomplete(_:)``, as ``DropOffCorrection/corrected(_:)`` does.
    public func dropOff(after former: DropOff?) throws(ChangeRefusal) -> DropOff? {
        switch self {
        case .correct(let correction): try correction.corrected(former)
        case .requestAddress(let address): DropOff(former, requestedAddress: address)
        case .settleCorrection(.decision): DropOff(former, requestedAddress: nil)
        case .settleCorrection(.provider), .status, .override, .courier, .stopsBefore, .item, .answer, .answerOverdue,
            .pin, .age, .image, .barcode, .proofDecision, .handedOverUnconfirmed, .leaveAtDoor, .handToCustomer,
            .promise, .addItems, .hold, .release, .dispute, .feedback, .milestone, .report:
            former
        }
    }
}

extension DropOff {
    fileprivate init?(_ former: DropOff?, requestedAddress: Address?) {
        self.init(
            recipient: former?.recipient, address: former?.address, note: former?.note,
            requestedAddress: requestedAddress)
    }

    /// The text of a field; nil where it has none.
    public subscript(_ field: CorrectedField) -> String? {
        switch field {
        case .street: address?.street
        case .floor: address?.floor
        case .postalCode: address?.postalCode
        case .city: address?.city
        case .doorCode: address?.doorCode
        case .note: note
        case .recipientName: recipient?.name
        case .recipientPhone: recipient?.phone
        case .door, .items: nil
        }
    }
}
