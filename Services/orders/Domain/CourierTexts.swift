import OrderDomain

/// The names and numbers of a courier, as they were described, which an erasure replaces.
struct CourierTexts: Codable, Hashable, Sendable {
    var names: Set<String> = []
    var phones: Set<String> = []

    /// Adds a description.
    mutating func add(name: String?, phone: String?) {
        if let name { names.insert(name) }
        if let phone { phones.insert(phone) }
    }
}
