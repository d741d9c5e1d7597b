/// A link that calls a number.
struct PhoneLink: Hashable, Sendable {
    let url: String

    /// - Parameter number: as people write it; what no telephone number has is left out (RFC 3966).
    init(_ number: String) {
        url =
            "tel:"
            + String(number.filter { $0.isASCII && ($0.isNumber || "+*#".contains($0)) }).replacing("#", with: "%23")
    }
}
