import OrderDomain

/// A body that a program of a shop or an operator sends, which a service holds to its every property.
///
/// All that is wrong with one is answered at once, and a property that the type does not have is refused, since its
/// sender means something by it. What apps on phones send is not one: a new app must get on with an older service.
public protocol StrictBody: Codable, Sendable {
    /// A body with every property set and nothing wrong, whose parts stand in for faulty ones while the rest is read.
    static var example: Self { get }
}

/// The form of identifiers of this type; nil where the type is not an identifier.
public func identifierForm(of type: any Any.Type) -> String? {
    (type as? any Identifier.Type).map { _ in "1 to 64 of A–Z, a–z, 0–9, _ and -" }
}
