import OrderDomain

/// A body from a program of a shop or an operator, whose every property the service validates.
///
/// The answer reports all faults of a body at once, and refuses unknown properties, since the sender expects an effect
/// of them. Bodies from phones' apps are not strict: a new app must work with an older service.
public protocol StrictBody: Codable, Sendable {
    /// A valid body with every property set, whose parts replace faulty ones while the rest is decoded.
    static var example: Self { get }
}

/// The form of identifiers of this type; nil where the type is not an identifier.
public func identifierForm(of type: any Any.Type) -> String? {
    (type as? any Identifier.Type).map { _ in "1 to 64 of A–Z, a–z, 0–9, _ and -" }
}
