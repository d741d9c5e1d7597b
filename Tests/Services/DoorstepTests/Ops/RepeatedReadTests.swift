import CommandOutput
import Testing

@testable import Doorstep

@Suite("Reading again until the command ends")
struct RepeatedReadTests {
    @Test("An outage is complained about once and outlasted; another failure ends it")
    func outages() async throws {
        let away = CommandFailure(.unavailable, "orders does not answer")
        var answers: [(any Error)?] = [nil, away, away, nil, away, CommandFailure(.notAllowed, "no token")]
        var complaints: [String] = []
        var sleeps = 0
        let failure = await #expect(throws: CommandFailure.self) {
            try await RepeatedRead.run(complain: { complaints.append($0) }, sleep: { sleeps += 1 }) {
                if let failure = answers.removeFirst() { throw failure }
            }
        }
        #expect(failure?.kind == .notAllowed && sleeps == 5)
        #expect(complaints == Array(repeating: "orders does not answer; trying again", count: 2))
    }
}
