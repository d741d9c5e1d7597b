import DeliveryDiagnosis
import OrderDomain
import Testing

@testable import Doorstep

@Suite("Advice on the command line")
struct OperatorActionCommandTests {
    static let commands: [(OperatorAction, String)] = [
        (.assignCourier, "doorstep ops assign 3f2a --courier … --reason …"),
        (.release, "doorstep ops release 3f2a --reason …"),
        (.setStatus([.returned]), "doorstep ops set-status 3f2a --status returned --reason …"),
        (
            .setStatus([.atDoor, .returning]),
            "doorstep ops set-status 3f2a --status at_door, or returning, --reason …"
        ),
        (.resend, "doorstep ops resend 3f2a --reason …"),
        (.endCard, "doorstep ops end-card …"),
        (.checkServices, "doorstep admin doctor"),
    ]

    @Test("Each action is named by the command that does it", arguments: commands.indices)
    func command(index: Int) {
        let (action, command) = Self.commands[index]
        #expect(action.command(for: "3f2a") == command)
    }
}
