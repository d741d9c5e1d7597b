import OrderDomain

extension Address {
    /// The address in one line, without the code of the street door: `Århusgade 12, 3. tv, 2100 København`.
    var line: String {
        let place = [postalCode, city].compactMap(\.self).joined(separator: " ")
        return [street, floor, place.isEmpty ? nil : place].compactMap(\.self).joined(separator: ", ")
    }
}
