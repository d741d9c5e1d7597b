import OrderDomain
import ServiceRuntime

extension CorrectedField {
    /// The most characters of the field's text; nil for a field without a text.
    var charactersMax: Int? {
        switch self {
        case .street: 120
        case .floor: 40
        case .postalCode: 16
        case .city, .recipientName: PlaceOrder.nameCharactersMax
        case .doorCode: 24
        case .note: 280
        case .recipientPhone: PlaceOrder.phoneCharactersMax
        case .door, .items: nil
        }
    }

    /// Whether a text is one of the field: of its length, without control characters.
    func accepts(_ text: String) -> Bool { charactersMax.map { text.isPlainText(charactersMax: $0) } ?? false }

    /// The place of the field in bodies: `address.doorCode`.
    var path: String {
        switch self {
        case .door: "door"
        case .street: "address.street"
        case .floor: "address.floor"
        case .postalCode: "address.postalCode"
        case .city: "address.city"
        case .doorCode: "address.doorCode"
        case .note: "note"
        case .recipientName: "recipient.name"
        case .recipientPhone: "recipient.phone"
        case .items: "items"
        }
    }

    /// Checks a text of the field.
    ///
    /// - Parameter parent: the part of the path that the body leaves out, since the body is about that part.
    func check(_ text: String, below parent: String = "", _ check: inout BodyCheck) {
        guard let charactersMax else { return }
        let place = path.hasPrefix(parent) ? String(path.dropFirst(parent.count)) : path
        check.plainText(text, place, charactersMax: charactersMax)
    }
}

extension DropOffCorrection {
    /// Checks the new texts.
    ///
    /// - Parameter parent: as of ``CorrectedField/check(_:below:_:)``.
    func check(below parent: String = "", _ check: inout BodyCheck) {
        for field in CorrectedField.allCases {
            if case let text?? = texts[field] { field.check(text, below: parent, &check) }
        }
    }
}
