public import ArgumentParser
public import OrderDomain

/// Everything that the services have of one customer.
struct AdminCustomer: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "customer", abstract: "Export or erase what the services have of a customer.",
        subcommands: [AdminCustomerExport.self, AdminCustomerErase.self])
}

extension CustomerID: ExpressibleByArgument {}
