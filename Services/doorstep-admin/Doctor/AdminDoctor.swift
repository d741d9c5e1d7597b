import ArgumentParser
import CommandOutput
import StackClient

/// Probes every part of a stack and prints what to do where something is wrong.
struct AdminDoctor: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Look the whole stack over; one line each, with what to do where something is wrong.",
        discussion: "Leaves with 6 when something is wrong.")

    /// Between two probes, while waiting.
    private static let interval = Duration.milliseconds(500)

    @Option(help: "Looks again for so many seconds until all is well.")
    var waitSeconds = 0.0

    func run() async throws {
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
