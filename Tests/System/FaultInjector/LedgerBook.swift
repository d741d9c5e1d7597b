import FaultInjection

/// The ledger of a run, which all its clients write.
actor LedgerBook {
    private(set) var ledger = Ledger()
    /// Answers that no fault explains.
    private(set) var unexpectedAnswers: [String] = []
    /// Changes that were refused, by what they were.
    private(set) var refusals: [String: Int] = [:]
    /// Wall seconds from each promotion of a standby until a change was acknowledged.
    private(set) var switchOvers: [Double] = []
    private var markerCount = 0

    /// A text that no other change of the run has.
    func nextMarker() -> String {
        markerCount += 1
        return "mark-\(markerCount)-"
    }

    func asked(_ change: Ledger.Change) { ledger.asked(change) }

    func settled(_ change: Ledger.Change, _ outcome: Ledger.Change.Outcome) {
        ledger.settled(change.marker, of: change.delivery, outcome)
    }

    func placed(_ reference: String, deliveries: [String]) { ledger.placed(reference, deliveries: deliveries) }

    func fixed(_ courier: String, at milliseconds: [Int]) { ledger.fixed(courier, at: milliseconds) }

    func named(_ delivery: String) { ledger.named(delivery) }

    func reported(_ reports: [String], of delivery: String) { ledger.reported(reports, of: delivery) }

    func answeredUnexpectedly(_ answer: String) { unexpectedAnswers.append(answer) }

    func switchedOver(after seconds: Double) { switchOvers.append(seconds) }

    func refused(_ what: String) { refusals[what, default: 0] += 1 }
}
