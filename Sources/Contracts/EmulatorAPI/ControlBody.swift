/// A body that `apns-emulator` is sent on its control side, and holds to its every property.
///
/// A property that the type does not have is refused: a mistyped `times` would make a fault that never ends.
package protocol ControlBody: Codable, Sendable {
    associatedtype CodingKeys: CodingKey, CaseIterable
}

extension ControlBody {
    /// The names of its properties.
    package static var properties: Set<String> { Set(CodingKeys.allCases.map(\.stringValue)) }
}
