import Messages
import OrderDomain
import PostgresClient
import ReliableMessaging
import ServiceRuntime

/// Erases what operators noted about a customer's deliveries, when `orders` asks it.
struct ErasePerson: Sendable {
    let pool: PostgresPool

    func callAsFunction(_ request: ErasureRequest) async throws -> ErasureReceipt {
        try await PersonalReadLog.erasing(.customer, of: request, on: pool) { rows in
            try await rows.erase("triage", TriageRepository.delete(of: request.deliveries.map(\.delivery.id)))
        }
    }
}
