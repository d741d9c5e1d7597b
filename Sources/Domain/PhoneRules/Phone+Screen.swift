extension Phone {
    /// The island's presentation of this app.
    public enum Island: Hashable, Sendable {
        /// A phone without an island, no card for it, or two other apps with priority.
        case empty
        /// One card, split around the camera.
        case compact(PhoneCard)
        /// One card, held open by the person.
        case expanded(PhoneCard)
        /// One card, made small because something else stands beside it.
        case minimal(PhoneCard, MinimalPlace)
    }

    /// The Lock Screen's cards, top first: by relevance, then the first started.
    public var lockScreen: [PhoneCard] {
        liveCards.filter(\.state.isOnLockScreen).sorted(by: Self.comesFirst)
    }

    /// Whether the Lock Screen asks below the first card if this app may go on.
    public var isAskingForPermission: Bool {
        permission == .notYetAllowed && !lockScreen.isEmpty
    }

    /// The island's present state: of this app, one card at most.
    public var island: Island {
        guard let card = islandCard else { return .empty }
        switch rank {
        case nil: return isIslandExpanded ? .expanded(card) : .compact(card)
        case 0?: return isIslandExpanded ? .expanded(card) : .minimal(card, .attached)
        case 1?: return isIslandExpanded ? .expanded(card) : .minimal(card, .detached)
        case _?: return .empty
        }
    }

    /// The card that the island is about: of those live and not swiped away there, the most relevant, then the first
    /// started.
    private var islandCard: PhoneCard? {
        guard hasIsland, permission == .allowed else { return nil }
        return
            liveCards
            .filter { ($0.state == .active || $0.state == .stale) && !$0.isHiddenInIsland }
            .min(by: Self.comesFirst)
    }

    private static func comesFirst(_ one: PhoneCard, _ other: PhoneCard) -> Bool {
        if one.relevance != other.relevance { return one.relevance > other.relevance }
        return one.ordinal < other.ordinal
    }
}
