import DomainTime
import Foundation
import Logging
import Messages
import OrderDomain
import PostgresClient
import ReliableMessaging

/// Continues requests to export customers' data: asks every service chunk by chunk, and stores each chunk sealed.
///
/// A chunk is stored with the place of the next one, and only while the request is leased. So an archive has each
/// record once, however often its process or a service is restarted meanwhile, and of a request that is deleted nothing
/// is stored later. No more than one chunk is in memory.
struct ContinueExports: Sendable {
    /// Wall time for which a request is this replica's; longer than an answer may take.
    private static let lease = Duration.seconds(60)
    /// The pause before a service is asked again that has not answered.
    private static let failurePause = Duration.seconds(5)

    let pool: PostgresPool
    let clock: DomainClock
    let ask: ExportClient
    /// This service's own records.
    let own: ExportPerson
    /// Nil where no archive can be kept, and so no request is accepted.
    let box: ArchiveBox?
    let logger: Logger
    let makeUUID: @Sendable () -> UUID

    /// Continues the requests that are due.
    ///
    /// - Returns: the wall time until the next one is due; nil without a running request.
    func callAsFunction() async throws -> Duration? {
        guard let box else { return nil }
        let token = makeUUID()
        while let export = try await ExportRepository.lease(token, for: Self.lease, on: pool) {
            try await advance(export, sealing: box, by: token)
        }
        return try await RequestLease.exports.nextDue(on: pool)
    }

    private enum Progress {
        case done, failed
        /// Another replica continues the request, or it is deleted.
        case isLost
    }

    private func advance(_ export: PersonExport, sealing box: ArchiveBox, by token: UUID) async throws {
        var receipts = export.receipts
        var hasFailed = false
        let services = [nil] + ErasingService.allCases.map(Optional.some)
        for service in services where !receipts[exporting: service].isDone {
            switch try await collect(export, from: service, &receipts, sealing: box, by: token) {
            case .done: continue
            case .failed: hasFailed = true
            case .isLost: return
            }
        }
        guard !hasFailed else {
            _ = try await RequestLease.exports.store(
                receipts, of: export.id, by: token, dueIn: Self.failurePause, on: pool)
            return
        }
        guard receipts.services.values.contains(where: { !$0.rows.isEmpty }) else {
            return try await ExportRepository.deleteEmpty(export.id, by: token, on: pool)
        }
        if try await ExportRepository.finish(export.id, by: token, at: clock.now, on: pool) {
            logger.info(
                "A person's data are exported from all services", metadata: ["person_request_id": "\(export.id)"])
        }
    }

    /// Asks a service, or this one for nil, for its remaining chunks.
    private func collect(
        _ export: PersonExport, from service: ErasingService?, _ receipts: inout PersonRequest.Receipts,
        sealing box: ArchiveBox, by token: UUID
    ) async throws -> Progress {
        while !receipts[exporting: service].isDone {
            var receipt = receipts[exporting: service]
            let parts = try await ExportRepository.parts(
                of: export, after: receipt.position, limit: ExportRequest.deliveriesMax, on: pool)
            let isLast = parts.count < ExportRequest.deliveriesMax
            let chunk: ExportChunk
            do {
                chunk = try await answer(
                    of: service,
                    to: ExportRequest(
                        request: export.id, customer: export.customer, store: export.store, deliveries: parts,
                        isLast: isLast, cursor: receipt.cursor))
            } catch let error as PostgresError where service == nil {
                throw error
            } catch {
                report(error, of: service, in: export, isFirst: receipt.failure == nil)
                receipts[exporting: service].failure = "no answer"
                return .failed
            }
            receipt.add(chunk, endOfPart: parts.last?.delivery, isLast: isLast)
            receipts[exporting: service] = receipt
            let number = receipt.chunks ?? 0
            let stored = try chunk.section.map { section in
                let sealed = try box.seal(chunk.records, in: section, number: number, of: export.id)
                return ExportRepository.insert(.init(number: number, sealed: sealed), in: section, of: export.id)
            }
            let progress = receipts
            let isOurs = try await pool.withTransaction(retriesMax: 3) { transaction in
                let isOurs = try await RequestLease.exports.store(
                    progress, of: export.id, by: token, dueIn: Self.lease, on: transaction)
                if isOurs, let stored { try await transaction.execute(stored) }
                return isOurs
            }
            guard isOurs else { return .isLost }
        }
        return .done
    }

    private func answer(of service: ErasingService?, to request: ExportRequest) async throws -> ExportChunk {
        let chunk = if let service { try await ask(service, request) } else { try await own(request) }
        if let fault = chunk.fault { throw Refused(description: fault) }
        guard chunk.records.isEmpty == (chunk.section == nil), !chunk.records.contains(where: { $0.contains("\n") })
        else { throw Refused(description: "its chunk is no list of records") }
        return chunk
    }

    private func report(_ error: any Error, of service: ErasingService?, in export: PersonExport, isFirst: Bool) {
        guard isFirst else { return }
        logger.warning(
            "A service does not export a person's data yet; it is asked again",
            metadata: [
                "person_request_id": "\(export.id)",
                "service": "\(service?.rawValue ?? PersonRequest.Receipts.ownName)", "reason": "\(error)",
            ])
    }

    private struct Refused: Error, CustomStringConvertible {
        let description: String
    }
}
