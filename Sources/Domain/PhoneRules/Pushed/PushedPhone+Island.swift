/// What the person and other apps do to the island.
extension PushedPhone {
    /// Holds the island open, or lets it go.
    public mutating func holdIsland(open isOpen: Bool, at now: Int) -> [PhoneEffect] {
        let effects = advance(to: now)
        phone.isIslandExpanded = isOpen
        return effects
    }

    /// Puts another app's activity beside ours, which makes ours minimal there; nil takes it away.
    public mutating func setOtherApp(_ place: Phone.MinimalPlace?, at now: Int) -> [PhoneEffect] {
        let effects = advance(to: now)
        phone.besideAnotherApp = place
        return effects
    }
}
