/// Actions of the person and of other apps on the island.
extension PushedPhone {
    /// Holds the island open, or lets it go.
    public mutating func holdIsland(open isOpen: Bool, at now: Int) -> [PhoneEffect] {
        let effects = advance(to: now)
        phone.isIslandExpanded = isOpen
        return effects
    }

    /// Starts or updates another app's activity, a call, music or a timer, which makes this app's card minimal in the
    /// island.
    public mutating func updateOtherApp(_ kind: Phone.OtherApp.Kind, at now: Int) -> [PhoneEffect] {
        let effects = advance(to: now)
        phone.updateOtherApp(kind, at: deviceTime(now))
        return effects
    }

    /// Ends what else is in the island: of one kind, or all of it.
    public mutating func endOtherApps(_ kind: Phone.OtherApp.Kind? = nil, at now: Int) -> [PhoneEffect] {
        let effects = advance(to: now)
        phone.endOtherApps(kind)
        return effects
    }
}
