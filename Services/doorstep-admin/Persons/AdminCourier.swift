public import ArgumentParser
public import OrderDomain

/// The services' data of one courier.
struct AdminCourier: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "courier", abstract: "Export or erase the services' data of a courier.",
        subcommands: [AdminCourierExport.self, AdminCourierErase.self])
}

extension CourierID: ExpressibleByArgument {}
