import Messages
import OrderDomain
import PostgresClient
import ReliableMessaging
import ServiceRuntime

/// Erases what operators noted about a customer's deliveries, when `orders` asks it.
struct ErasePerson: Sendable {
    let pool: PostgresPool

    func callAsFunction(_ request: ErasureRequest) async throws -> ErasureReceipt {
        // Before the transaction, which a year of rows would keep for too long; a repeat finds none.
        let reads =
            request.isLast
            ? try await PersonalReadLog.replace(
                customer: request.customer.rawValue, with: request.pseudonym.rawValue, on: pool) : [:]
        return try await ErasureParts.once(request, on: pool) { rows in
            try await rows.erase("triage", TriageRepository.delete(of: request.deliveries.map(\.delivery.id)))
            rows.add(reads)
        }
    }
}
