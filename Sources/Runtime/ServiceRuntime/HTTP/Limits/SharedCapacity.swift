/// A capacity that callers share, bounded in total and per caller.
///
/// Pure: each holder returns its own amount.
struct SharedCapacity: Sendable {
    /// The exceeded limit.
    enum Refusal {
        case caller, total
    }

    let max: Int
    let callerMax: Int
    private(set) var inUse = 0
    private var byCaller: [String: Int] = [:]

    init(max: Int, callerMax: Int) {
        self.max = max
        self.callerMax = callerMax
    }

    /// - Parameter caller: the holder; nil where it is not known yet, which exempts it from the limit per caller.
    /// - Returns: nil when the amount was reserved.
    mutating func acquire(_ amount: Int, of caller: String?) -> Refusal? {
        let own = caller.map { byCaller[$0, default: 0] } ?? 0
        if caller != nil, own + amount > callerMax { return .caller }
        if inUse + amount > max { return .total }
        inUse += amount
        if let caller { byCaller[caller] = own + amount }
        return nil
    }

    mutating func release(_ amount: Int, of caller: String?) {
        inUse -= amount
        guard let caller else { return }
        let left = byCaller[caller, default: amount] - amount
        byCaller[caller] = left > 0 ? left : nil
    }
}
