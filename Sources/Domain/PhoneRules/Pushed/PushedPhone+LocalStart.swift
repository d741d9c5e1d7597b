public import LiveActivity

/// Cards that the app starts by itself.
extension PushedPhone {
    /// Starts a card for the running app (`Activity.request(…, pushType: .token)`); takes nothing from any budget.
    ///
    /// - Returns: what happened, the app's notice of the start among it.
    public mutating func startFromApp(
        _ shown: ShownActivity, at now: Int
    ) throws(LocalStartRefusal) -> [PhoneEffect] {
        let effects = advance(to: now)
        guard case .running = app else { throw .visibility }
        let attributesBytes = shown.attributes.encodedBytes
        guard attributesBytes + shown.content.encodedBytes <= Self.cardBytesMax else { throw .attributesTooLarge }
        let instance = Self.instanceID(seed: settings.tokenSeed, number: instancesCount + 1)
        let events = try phone.startFromApp(shown, card: instance, at: deviceTime(now))
        instancesCount += 1
        instances[instance] = Instance(
            attributesBytes: attributesBytes, tokenAt: now + settings.tokenDelaySeconds)
        issueToken(for: .update(instance: instance))
        forgetInstances()
        return effects + screen(events, at: now) + tokensDue(at: now)
    }
}
