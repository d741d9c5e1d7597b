import DomainTime
import DoorstepAPI
import Foundation
import Messages
import OrderDomain
import PostgresClient
import WireCoding

/// Lists the deliveries that match a filter, worst first, in pages that neither skip nor repeat a row as time passes.
struct ListDeliveries: Sendable {
    static let pageMax = 100

    let pool: PostgresPool
    let clock: DomainClock
    let personalData: PersonalDataBox

    func callAsFunction(
        _ filter: DeliveryFilter, after cursor: DeliveryCursor?, limit: Int, for reader: Principal
    ) async throws -> BoardBody {
        // A cursor keeps the time to the millisecond, and every page ranks the deliveries by the same time.
        let asOf = cursor?.position.asOf ?? clock.now.roundedToMillisecond
        let page = try await BoardRepository.page(
            filter, after: cursor?.position, asOf: asOf, limit: limit, opening: personalData, on: pool)
        let isForCustomer = if case .customer = reader.subject { true } else { false }
        return BoardBody(
            counts: page.counts,
            deliveries: page.rows.map { row in
                // Customers get the arrival of their screens, where these show one; how late it is names it too.
                let hasArrival = !isForCustomer || row.record.delivery.showsArrival
                let hasEnded = row.record.delivery.endedAt != nil
                return BoardBody.Row(
                    row.record.delivery, risk: row.risk, lateMinutes: hasArrival || hasEnded ? row.lateMinutes : nil,
                    missProbability: filter.showsMissProbability ? row.missProbability : nil,
                    estimate: hasArrival && (row.isExpected || hasEnded) ? row.record.estimate : nil,
                    cards: row.record.cardHealth.map { .init(count: $0.count, behind: $0.behind, reason: $0.reason) },
                    dropOff: row.record.dropOff, for: reader)
            },
            next: page.hasMore ? page.rows.last.map { DeliveryCursor($0.position(asOf: asOf)).rawValue } : nil)
    }
}

extension BoardRepository.Row {
    fileprivate var risk: BoardBody.Risk {
        switch severity {
        case 0: .late
        case 1: .atRisk
        case 4: .ended
        default: .onTime
        }
    }

    fileprivate func position(asOf: Date) -> DeliveryPosition {
        .init(
            asOf: asOf, need: need, severity: severity, place: place, keptPercent: keptPercent, promiseEnd: promiseEnd,
            delivery: record.delivery.id.rawValue)
    }
}
