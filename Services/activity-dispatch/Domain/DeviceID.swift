import OrderDomain

/// Identifies one phone or terminal; its app chooses the id and keeps it.
struct DeviceID: Identifier {
    let rawValue: String

    init?(rawValue: String) {
        guard isIdentifier(rawValue) else { return nil }
        self.rawValue = rawValue
    }
}
