/// A text as a code with values, so that the device can render it in its own language.
public struct Phrase: Codable, Hashable, Sendable {
    /// An open code such as `courier_on_the_way`; see `Words`.
    public let code: String
    /// The values of the text's placeholders, by name: `["courier": "Mira"]`.
    public let values: [String: String]
    /// English, for a device that does not know the code.
    public let text: String

    public init(code: String, values: [String: String] = [:], text: String) {
        self.code = code
        self.values = values
        self.text = text
    }
}

/// An open code of a phase: a code of a newer server still decodes.
public struct Phase: RawRepresentable, Codable, Hashable, Sendable {
    public let rawValue: String

    public init(rawValue: String) { self.rawValue = rawValue }

    public static let received = Phase(rawValue: "received")
    public static let picking = Phase(rawValue: "picking")
    public static let packed = Phase(rawValue: "packed")
    public static let onTheWay = Phase(rawValue: "on_the_way")
    public static let arriving = Phase(rawValue: "arriving")
    public static let atDoor = Phase(rawValue: "at_door")
    public static let problem = Phase(rawValue: "problem")
    public static let ended = Phase(rawValue: "ended")
    /// The phase of a customer's summary of several deliveries.
    public static let several = Phase(rawValue: "several")
}
