import ArgumentParser
import CommandOutput
import OrderDomain
import PostgresClient
import StackClient

/// Prints every row that the services have of a customer.
struct AdminCustomerExport: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract: "Print the services' data of a customer, as JSON.",
        discussion: """
            One object with a list of rows for each table, without tokens and secrets, which may be handed to the \
            customer. Leaves with 3 for an unknown customer.
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
    /// Runs `body` with a pool, and converts database errors into the command's.
    ///
    /// - Parameter doing: the failed action on the customer.
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
