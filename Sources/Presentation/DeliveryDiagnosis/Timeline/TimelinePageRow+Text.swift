package import DoorstepAPI
internal import OrderDomain

extension TimelinePageBody.Row {
    /// The order's reference, with the bag where there are several.
    package var orderText: String { bag.count > 1 ? "\(reference) \(bag.number)/\(bag.count)" : reference }

    /// The names of the store, the street and the courier, as far as they are known: `Nordhavn · Århusgade 12 · Mira`.
    package var placeText: String {
        [storeName, street, courierName ?? courier?.rawValue].compactMap(\.self).joined(separator: " · ")
    }
}
