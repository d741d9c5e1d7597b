/// A capacity that callers share: at most so much of it is in use, and at most so much by one of them.
///
/// Pure: what was acquired is released by whoever acquired it.
struct SharedCapacity: Sendable {
    /// Whose limit was met.
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

    /// - Parameter caller: whose it is; nil where that is not known yet, which no caller's limit holds for.
    /// - Returns: nil when it was acquired.
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
