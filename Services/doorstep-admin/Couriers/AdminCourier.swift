public import ArgumentParser
public import OrderDomain

/// The services' data of one courier.
struct AdminCourier: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "courier", abstract: "Erase the services' data of a courier.",
        subcommands: [AdminCourierErase.self])
}

extension CourierID: ExpressibleByArgument {}
