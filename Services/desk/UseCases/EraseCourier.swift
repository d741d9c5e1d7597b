import Messages
import OrderDomain
import PostgresClient
import ReliableMessaging
import ServiceRuntime

/// Replaces a courier in operators' notes about their deliveries, when `orders` asks it.
struct EraseCourier: Sendable {
    let pool: PostgresPool

    func callAsFunction(_ request: CourierErasureRequest) async throws -> ErasureReceipt {
        try await PersonalReadLog.erasing(.courier, of: request, on: pool) { rows in
            let notes = try await TriageRepository.lockedNotes(
                of: request.deliveries.map(\.delivery.id), in: rows.transaction)
            let changed = notes.mapValues(request.courier.redacted).filter { notes[$0.key] != $0.value }
            if !changed.isEmpty { try await rows.erase("triage", TriageRepository.set(notes: changed)) }
        }
    }
}
