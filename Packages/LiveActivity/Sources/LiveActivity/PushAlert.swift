/// The alert of a push: on a phone it expands the card, on a watch it is shown full screen.
public struct PushAlert: Codable, Hashable, Sendable {
    public let title: PushText
    public let body: PushText
    /// Nil for an alert without sound.
    public let sound: String?

    public init(title: PushText, body: PushText, sound: String?) {
        self.title = title
        self.body = body
        self.sound = sound
    }

    /// An alert in the device's language, with a sound.
    public init(_ alert: ActivityAlert) {
        self.init(title: PushText(alert.title), body: PushText(alert.body), sound: "default")
    }

    /// The alert of a start without an event of its own, without sound: iOS shows no card that starts without an alert.
    public static func quiet(_ attributes: GroceryDeliveryAttributes) -> PushAlert {
        let title = attributes.store.isEmpty ? Phrase(.alertFollow) : Phrase(.alertStarted, ["store": attributes.store])
        return PushAlert(title: PushText(title), body: PushText(Phrase(.alertFollow)), sound: nil)
    }
}

/// A text that the device resolves by key, or a plain text.
public enum PushText: Hashable, Sendable {
    /// A key in the app's strings, and the arguments for each `%@`, in the order of the English text.
    case localized(key: String, arguments: [String])
    case plain(String)

    /// A phrase by its key; a phrase without a key, or with several parts, is sent in English.
    init(_ phrase: Phrase) {
        guard let key = PhraseCode(rawValue: phrase.code).flatMap(AlertKey.init) else {
            self = .plain(phrase.text)
            return
        }
        self = .localized(key: key.text, arguments: key.valueNames.map { phrase.values[$0] ?? "" })
    }
}

extension PushText: Codable {
    private enum CodingKeys: String, CodingKey {
        case key = "loc-key"
        case arguments = "loc-args"
    }

    /// Reads a string, or `{"loc-key": …, "loc-args": […]}`.
    public init(from decoder: any Decoder) throws {
        // A text that is no string is decoded as an object below, and that error is thrown.
        if let text = try? decoder.singleValueContainer().decode(String.self) {
            self = .plain(text)
            return
        }
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self = .localized(
            key: try container.decode(String.self, forKey: .key),
            arguments: try container.decodeIfPresent([String].self, forKey: .arguments) ?? [])
    }

    public func encode(to encoder: any Encoder) throws {
        switch self {
        case .plain(let text):
            var container = encoder.singleValueContainer()
            try container.encode(text)
        case .localized(let key, let arguments):
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(key, forKey: .key)
            if !arguments.isEmpty { try container.encode(arguments, forKey: .arguments) }
        }
    }
}
