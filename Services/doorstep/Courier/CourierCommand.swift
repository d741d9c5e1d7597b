import ArgumentParser

/// The commands of couriers and of their phones.
struct CourierCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "courier",
        abstract: "Simulate a courier, and set up couriers' phones.",
        discussion: """
            simulate uses the token in the file that DOORSTEP_COURIER_TOKEN_FILE names, and list the operator's, \
            DOORSTEP_OPERATOR_TOKEN_FILE. The other commands use the operator's where that is set, and the courier's \
            where it is not.
            """,
        subcommands: [
            CourierList.self, CourierSimulate.self, CourierEnroll.self, CourierLink.self, CourierPhones.self,
            CourierRevoke.self, CourierDuty.self,
        ])
}
