import ArgumentParser
import CommandOutput
import OrderDomain
import PostgresClient
import StackClient

/// Prints every row that the services have of a customer.
struct AdminCustomerExport: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Print what the services have of a customer, as JSON.",
        discussion: """
            One object with a list of rows for each table, which may be handed to the customer: tokens and secrets are \
            left out. Leaves with 3 where nothing is known of them.
            """)

    @Argument(help: "The customer's id.")
    var customer: CustomerID

    func run() async throws {
        let data = CustomerData(customer: customer)
        let exported = try await PostgresPool.with(try await Stack().postgres(), failing: "be exported") {
            try await data.exported(on: $0)
        }
        guard let exported else { throw CommandFailure(.notFound, "nothing is known of customer \(customer)") }
        writeJSON(exported.utf8)
    }
}

extension PostgresPool {
    /// The same with an error of the database's as one of the command's.
    ///
    /// - Parameter doing: what cannot be done with the customer then.
    static func with<Value: Sendable>(
        _ configuration: PostgresConfiguration, failing doing: String, _ body: (PostgresPool) async throws -> Value
    ) async throws -> Value {
        do {
            return try await with(configuration, body)
        } catch let error as PostgresError {
            throw CommandFailure(.unavailable, "the customer cannot \(doing): \(error)")
        }
    }
}
