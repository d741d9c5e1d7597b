/// The number of pushes that a system applies in a sliding window; it silently drops further ones.
///
/// Apple publishes neither sizes nor windows; those given here come from field reports and are settings.
public struct PushBudget: Codable, Hashable, Sendable {
    /// Pushes in one window; zero drops all.
    public var size: Int
    public let windowSeconds: Int
    /// When each push of the window came, oldest first; `size` at most.
    private var used: [Int] = []

    public init(size: Int, windowSeconds: Int) {
        self.size = max(0, size)
        self.windowSeconds = max(1, windowSeconds)
    }

    /// Spends a push; false when the window has its number already.
    mutating func spend(at now: Int) -> Bool {
        if let oldest = used.first, oldest <= now - windowSeconds {
            used.removeAll { $0 <= now - windowSeconds }
        }
        guard used.count < size else { return false }
        used.append(now)
        return true
    }

    /// The number of pushes left now.
    public func left(at now: Int) -> Int { max(0, size - used.count { $0 > now - windowSeconds }) }

    /// Uses up what is left.
    public mutating func exhaust(at now: Int) {
        while spend(at: now) {}
    }
}
