import ArgumentParser

/// What a courier's phone does.
struct CourierCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "courier",
        abstract: "Be a courier, and set couriers' phones up.",
        discussion: """
            simulate speaks with the token in the file that DOORSTEP_COURIER_TOKEN_FILE names; the others with the \
            operator's, DOORSTEP_OPERATOR_TOKEN_FILE, where that is set, and with the courier's where it is not.
            """,
        subcommands: [
            CourierList.self, CourierSimulate.self, CourierEnroll.self, CourierLink.self, CourierPhones.self,
            CourierRevoke.self, CourierDuty.self,
        ])
}
