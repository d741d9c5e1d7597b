import ArgumentParser
import Foundation

/// Looks a stack over.
struct AdminDoctor: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Look the whole stack over; one line each, with what to do where something is wrong.",
        discussion: "Leaves with 6 when something is wrong.")

    /// Between looks, while waiting.
    private static let pause = Duration.milliseconds(500)

    @Option(help: "Looks again for so many seconds until all is well.")
    var waitSeconds = 0.0

    func run() async throws {
        let doctor = Doctor(stack: try await Stack())
        let deadline = ContinuousClock.now + .seconds(max(0, waitSeconds))
        var findings = await doctor.look()
        while findings.contains(where: \.isWrong), ContinuousClock.now < deadline {
            try await Task.sleep(for: Self.pause)
            findings = await doctor.look()
        }
        print(DoctorFinding.text(findings))
        let wrong = findings.count(where: \.isWrong)
        if wrong > 0 { throw CommandFailure(.unavailable, "\(wrong) of \(findings.count) need attention") }
    }
}
