import Testing

@testable import CommandOutput

@Suite("Asking before what cannot be undone")
struct ConfirmationTests {
    @Test("Where nobody can be asked it is refused as a mistake in usage, unless --yes was said")
    func unattended() throws {
        let plain = Confirmation(yes: false)
        #expect { try plain.ask("Drop 3?", answer: { _ in nil }) } throws: { error in
            let failure = error as? CommandFailure
            return failure?.kind == .usage && failure?.message.contains("--yes") == true
        }
        try Confirmation(yes: true).ask("Drop 3?", answer: { _ in nil })
    }

    @Test("Only a yes does it", arguments: ["", "n", "no", "yep", "Y", "yes", "ja"])
    func answers(answer: String) throws {
        let isYes = ["Y", "yes", "ja"].contains(answer)
        var hasAsked = false
        let kind: CommandFailure.Kind?
        do {
            try Confirmation(yes: false).ask("Drop 3?") { question in
                hasAsked = question == "Drop 3?"
                return answer
            }
            kind = nil
        } catch {
            kind = error.kind
        }
        #expect(hasAsked)
        #expect(kind == (isYes ? nil : .interrupted))
    }
}
