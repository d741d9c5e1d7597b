package import DoorstepAPI

extension ReceiptBody {
    /// The receipt's outcome, and why a waiting receipt waits, in sentences.
    package var outcome: String {
        switch state {
        case .applied:
            isKnown
                ? "Its delivery was changed by it, or was so already."
                : "It belongs to a delivery, and changed nothing. \(Self.unknown)"
        case .waiting where references.isEmpty: "It names no delivery, and changes nothing. \(Self.unknown)"
        case .waiting:
            "No delivery is known by any of its references yet; it is applied as soon as one is."
                + (isKnown ? "" : " \(Self.unknown)")
        case .quarantined: "It is of the provider's test mode, and changes nothing."
        case .unreadable: "It was sent by the provider, but is not as the provider's events are."
        case .dismissed: "It was dismissed: nothing more comes of it."
        }
    }

    private static let unknown = "This version does not know what such an event means."
}
