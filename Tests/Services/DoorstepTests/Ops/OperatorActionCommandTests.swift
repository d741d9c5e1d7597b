import DeliveryDiagnosis
import DeliverySamples
import DoorstepAPI
import OrderDomain
import Testing

@testable import Doorstep

@Suite("Advice on the command line")
struct OperatorActionCommandTests {
    static let commands: [(OperatorAction, String)] = [
        (.assignCourier, "doorstep ops assign 3f2a --courier … --reason …"),
        (.assignAll(from: SampleDeliveries.id("ali")), "doorstep ops assign --from ali --courier … --reason …"),
        (
            .call(.courier(name: "Ali")), "call Ali (doorstep ops show 3f2a has the number, for dispatchers)"
        ),
        (.correctAddress, "doorstep ops correct 3f2a --street … --door … --reason …"),
        (.settleCorrection(.provider), "doorstep ops correct 3f2a --settle provider --reason …"),
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

    @Test("A call has the number of the person, where the order has one")
    func number() {
        let row = ContactsBody.Row(
            delivery: SampleDeliveries.id("00000000-0000-4000-8000-000000000001"), customer: nil,
            courier: .init(name: "Ali", phone: "+45 12 34 56 78", url: "tel:+4512345678"))
        let courier = OperatorAction.call(.courier(name: "Ali"))
        #expect(courier.command(for: "3f2a", contacts: row) == "call Ali, +45 12 34 56 78")
        #expect(courier.calledPerson == "courier")
        let customer = OperatorAction.call(.customer)
        #expect(customer.command(for: "3f2a", contacts: row) == "call the customer, whose number is not known")
        #expect(customer.calledPerson == "customer" && OperatorAction.release.calledPerson == nil)
    }
}
