import CommandOutput

/// The result of probing one part of a stack.
struct DoctorFinding: Hashable, Sendable {
    let part: String
    let state: String
    /// The remedy; nil without a fault.
    let fix: String?

    var isWrong: Bool { fix != nil }

    static func well(_ part: String, _ state: String) -> DoctorFinding {
        DoctorFinding(part: part, state: state, fix: nil)
    }

    static func wrong(_ part: String, _ state: String, fix: String) -> DoctorFinding {
        DoctorFinding(part: part, state: state, fix: fix)
    }

    /// The finding with another part as its cause, where the state mentions that part.
    func followingFrom(_ cause: String, whereItNames word: String) -> DoctorFinding {
        guard isWrong, state.contains(word) || state.contains(cause) else { return self }
        return .wrong(part, state, fix: "mend \(cause), see above: this follows from it")
    }

    /// The findings as lines, with the parts in a column.
    static func text(_ findings: [DoctorFinding]) -> String {
        NamedValues(
            findings.map { finding in
                let fix = finding.fix.map { " → \($0)" } ?? ""
                return ("\(finding.isWrong ? "✗" : "✓") \(finding.part)", finding.state + fix)
            }
        ).text
    }
}
