/// The figures of one seed's run.
package struct RunReport: Hashable, Sendable {
    package var seed: UInt64
    /// Wall seconds, the checks included.
    package var seconds = 0.0
    package var faults = 0
    package var kills = 0
    package var acknowledged = 0
    package var fixes = 0
    /// Reports of accepted provider webhooks.
    package var reports = 0
    /// Pushes that devices were shown.
    package var pushes = 0
    /// Events that the shop's receiver accepted.
    package var events = 0
    /// Wall seconds from the end of the faults until everything was right, the longest of the run.
    package var longestRecovery = 0.0
    /// Wall seconds from the promotion of a standby until a change was acknowledged, the longest of the run; nil where none
    /// was promoted.
    package var longestSwitchOver: Double?
    package var violations: [Violation] = []

    package init(seed: UInt64) { self.seed = seed }

    /// A table in Markdown, with a row for each seed and one for all.
    package static func table(_ reports: [RunReport]) -> String {
        var rows = [
            """
            | Seed | min | faults | kills | acknowledged changes | fixes | reports | pushes shown | events sent | \
            all right after | a write after a promotion | violations |
            """,
            "|---|---|---|---|---|---|---|---|---|---|---|---|",
        ]
        rows += reports.map { $0.row(named: "\($0.seed)") }
        if reports.count > 1 { rows.append(sum(of: reports).row(named: "**all**")) }
        return rows.joined(separator: "\n")
    }

    private static func sum(of reports: [RunReport]) -> RunReport {
        reports.reduce(into: RunReport(seed: 0)) { sum, one in
            sum.seconds += one.seconds
            sum.faults += one.faults
            sum.kills += one.kills
            sum.acknowledged += one.acknowledged
            sum.fixes += one.fixes
            sum.reports += one.reports
            sum.pushes += one.pushes
            sum.events += one.events
            sum.longestRecovery = max(sum.longestRecovery, one.longestRecovery)
            sum.longestSwitchOver = [sum.longestSwitchOver, one.longestSwitchOver].compactMap(\.self).max()
            sum.violations += one.violations
        }
    }

    private func row(named name: String) -> String {
        let cells = [
            name, PlannedFault.text(seconds / 60), "\(faults)", "\(kills)", "\(acknowledged)", "\(fixes)", "\(reports)",
            "\(pushes)", "\(events)", "\(PlannedFault.text(longestRecovery)) s",
            longestSwitchOver.map { "\(PlannedFault.text($0)) s" } ?? "", "\(violations.count)",
        ]
        return "| \(cells.joined(separator: " | ")) |"
    }
}
