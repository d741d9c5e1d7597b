/// Something that a courier's way shows, told once.
public enum Sign: String, CaseIterable, Hashable, Codable, Sendable {
    case nearStore = "near_store"
    case leftStore = "left_store"
    case arriving
    case atDoor = "at_door"
    /// Standing still where nobody expects it, and going on.
    case standing, moving
    case silent, heard
    case late
    case onTime = "on_time"
}

extension Sign {
    /// Whether a customer hears of it at once, whatever the estimate's own change is worth.
    public var isNews: Bool {
        switch self {
        case .nearStore, .leftStore, .standing, .moving: false
        case .arriving, .atDoor, .silent, .heard, .late, .onTime: true
        }
    }
}
