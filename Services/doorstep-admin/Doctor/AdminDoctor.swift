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

    /// A day; a time that no clock has would trap.
    private static let waitSecondsMax = 86_400.0

    @Option(help: "Repeat the checks for at most this many seconds until all succeed.")
    var waitSeconds: Double?
    @Option(
        help: "Print the steps of an upgrade from this version, such as 0.21.0.",
        transform: { text in
            guard let version = ReleaseNumber(text) else {
                throw ValidationError("--from is a version such as 0.21.0, not \(text)")
            }
            return version
        })
    var from: ReleaseNumber?

    func validate() throws {
        guard let waitSeconds else { return }
        guard from == nil else { throw ValidationError("--from checks nothing; leave out --wait-seconds") }
        guard (0...Self.waitSecondsMax).contains(waitSeconds) else {
            throw ValidationError("--wait-seconds is 0 to \(Int(Self.waitSecondsMax))")
        }
    }

    func run() async throws {
        if let from { return writeLine(Upgrades.current.text(from: from)) }
        let doctor = Doctor(stack: try await Stack())
        let deadline = ContinuousClock.now + .seconds(waitSeconds ?? 0)
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
