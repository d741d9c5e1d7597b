import CommandOutput

/// The result of probing one part of a stack.
struct DoctorFinding: Hashable, Sendable {
    let part: String
    let state: String
    /// What to do about it; nil where nothing is wrong.
    let fix: String?

    var isWrong: Bool { fix != nil }

    static func well(_ part: String, _ state: String) -> DoctorFinding {
        DoctorFinding(part: part, state: state, fix: nil)
    }

    static func wrong(_ part: String, _ state: String, fix: String) -> DoctorFinding {
        DoctorFinding(part: part, state: state, fix: fix)
    }

    /// The same with another part as its cause, where this one's state names what comes from that part.
    func followingFrom(_ cause: String, whereItNames word: String) -> DoctorFinding {
        guard isWrong, state.contains(word) || state.contains(cause) else { return self }
        return .wrong(part, state, fix: "mend \(cause), see above: this follows from it")
    }

    /// One line each, the parts in a column.
    static func text(_ findings: [DoctorFinding]) -> String {
        NamedValues(
            findings.map { finding in
                let fix = finding.fix.map { " → \($0)" } ?? ""
                return ("\(finding.isWrong ? "✗" : "✓") \(finding.part)", finding.state + fix)
            }
        ).text
    }
}
