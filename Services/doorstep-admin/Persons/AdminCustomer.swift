public import ArgumentParser
public import OrderDomain

/// The services' data of one customer.
struct AdminCustomer: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "customer", abstract: "Export or erase the services' data of a customer.",
        subcommands: [AdminCustomerExport.self, AdminCustomerErase.self, AdminCustomerErasures.self])
}

extension CustomerID: ExpressibleByArgument {}
