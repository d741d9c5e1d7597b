import ArgumentParser
import CommandOutput
import StackClient

/// Probes every part of a stack and prints the remedy of each fault.
struct AdminDoctor: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Check the whole stack; one line for each part, with the remedy for a fault.",
        discussion: """
            Leaves with 6 after a fault. With --from it checks nothing, and prints what an upgrade from that version \
            needs.
            """)

    /// The pause between two checks while waiting.
    private static let interval = Duration.milliseconds(500)

    @Option(help: "Repeat the checks for at most this many seconds until all succeed.")
    var waitSeconds = 0.0
    @Option(
        help: "Print the steps of an upgrade from this version, such as 0.21.0.",
        transform: { text in
            guard let version = ReleaseNumber(text) else {
                throw ValidationError("--from is a version such as 0.21.0, not \(text)")
            }
            return version
        })
    var from: ReleaseNumber?

    func run() async throws {
        if let from { return writeLine(Upgrades.current.text(from: from)) }
        let doctor = Doctor(stack: try await Stack())
        let deadline = ContinuousClock.now + .seconds(max(0, waitSeconds))
        var findings = await doctor.probe()
        while findings.contains(where: \.isWrong), ContinuousClock.now < deadline {
            try await Task.sleep(for: Self.interval)
            findings = await doctor.probe()
        }
        writeLine(DoctorFinding.text(findings))
        let wrong = findings.count(where: \.isWrong)
        if wrong > 0 { throw CommandFailure(.unavailable, "\(wrong) of \(findings.count) need attention") }
    }
}
