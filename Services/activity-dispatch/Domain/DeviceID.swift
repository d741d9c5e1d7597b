import OrderDomain

/// Names one phone or terminal; its app chooses the name and keeps it.
struct DeviceID: Identifier {
    let rawValue: String

    init?(rawValue: String) {
        guard isIdentifier(rawValue) else { return nil }
        self.rawValue = rawValue
    }
}
