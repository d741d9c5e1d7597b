/// The texts of a card, each of which has one colour and one background in a ``CardPalette``.
public enum CardText: CaseIterable, Hashable, Sendable {
    case store, remaining, headline
    /// The headline of a stale card.
    case staleHeadline
    case arrival, detail
    /// The title of a button.
    case button
    /// The system's own action next to the card on the Lock Screen.
    case systemAction
}
