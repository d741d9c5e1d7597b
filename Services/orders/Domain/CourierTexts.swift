import OrderDomain

/// The names and numbers of a courier who is erased, the numbers as the database has them.
struct CourierTexts: Codable, Hashable, Sendable {
    /// Characters of an id that is a name in texts.
    private static let idCharactersMin = 4

    var names: Set<String> = []
    var phones: Set<String> = []

    /// Adds a description.
    ///
    /// Without a description the id is the name. A short id, or one of digits, may be anything in a text, such as a
    /// house's number or minutes, and is none.
    mutating func add(name: String?, phone: String?, of courier: CourierID) {
        if let name, name != courier.rawValue || Self.isName(name) { names.insert(name) }
        if let phone { phones.insert(phone) }
    }

    private static func isName(_ id: String) -> Bool {
        id.count >= idCharactersMin && id.contains(where: \.isLetter)
    }
}
