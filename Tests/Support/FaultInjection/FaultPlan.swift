import SeededRandom

/// The faults of a run with their times: a pure function of the seed and the length of the run.
///
/// Rounds of faults are followed by quiet points at which everything is checked.
package struct FaultPlan: Hashable, Sendable {
    /// The length of a run.
    package enum Length: Hashable, Sendable {
        /// Minutes of faults, without the checks.
        case minutes(Double)
        /// Rounds are added until this many faults are kills, which are drawn more often.
        case kills(Int)
    }

    /// Wall seconds of a round.
    package static let roundSeconds = 60.0
    /// Wall seconds after the end of a fault before the next one to the same target: it has to start first.
    static let recoverySeconds = 1.0
    /// The choices among several are below it.
    static let choicesMax = 60

    package let seed: UInt64
    package let rounds: [[PlannedFault]]

    /// - Parameter kinds: the injected kinds, at least one; all by default.
    package init(seed: UInt64, length: Length, kinds: [FaultKind] = FaultKind.allCases) {
        precondition(!kinds.isEmpty, "a plan needs something to inject")
        self.seed = seed
        var random = SeededGenerator(seed: seed)
        var rounds: [[PlannedFault]] = []
        switch length {
        case .minutes(let minutes):
            var left = minutes * 60
            while left > 0 {
                rounds.append(
                    Self.round(of: min(left, Self.roundSeconds), every: 1...3, kinds, killsFirst: false, &random))
                left -= Self.roundSeconds
            }
        case .kills(let count):
            var killed = 0
            while killed < count {
                let round = Self.round(of: Self.roundSeconds, every: 0.4...1.2, kinds, killsFirst: true, &random)
                killed += round.count(where: \.kind.isKill)
                rounds.append(round)
            }
        }
        self.rounds = rounds
    }

    /// Whether Postgres needs a standby.
    package var hasSwitchOver: Bool { rounds.contains { $0.contains { $0.kind == .switchOver } } }

    package var faultCount: Int { rounds.reduce(0) { $0 + $1.count } }

    private static func round(
        of seconds: Double, every interval: ClosedRange<Double>, _ kinds: [FaultKind], killsFirst: Bool,
        _ random: inout SeededGenerator
    ) -> [PlannedFault] {
        var faults: [PlannedFault] = []
        var busyUntil: [String: Double] = [:]
        var at = Double.random(in: interval, using: &random)
        while at < seconds {
            // A fault drawn for a target that has not recovered yet is drawn again.
            for _ in 0..<8 {
                let fault = draw(at: at, kinds, killsFirst: killsFirst, &random)
                guard busyUntil[fault.resource, default: 0] <= at else { continue }
                busyUntil[fault.resource] = at + fault.lasts + recoverySeconds
                faults.append(fault)
                break
            }
            at += Double.random(in: interval, using: &random)
        }
        return faults
    }

    private static func draw(
        at: Double, _ kinds: [FaultKind], killsFirst: Bool, _ random: inout SeededGenerator
    ) -> PlannedFault {
        let weights = kinds.map { killsFirst && $0 == .kill ? $0.weight * 10 : $0.weight }
        var left = Int.random(in: 0..<weights.reduce(0, +), using: &random)
        var index = 0
        while left >= weights[index] {
            left -= weights[index]
            index += 1
        }
        let kind = kinds[index]
        let target = kind.targets[Int.random(in: 0..<kind.targets.count, using: &random)]
        let lasts = Double.random(in: kind.lasts, using: &random)
        return PlannedFault(
            at: at, kind: kind, target: target, lasts: killsFirst ? lasts / 2 : lasts,
            choice: Int.random(in: 0..<choicesMax, using: &random))
    }
}
