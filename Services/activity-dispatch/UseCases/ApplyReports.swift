import DomainTime
import DoorstepAPI
import FlowControl
import Foundation
import LiveActivity
import Messages
import OrderDomain
import PostgresClient

/// Applies what an app reports about the cards on its device.
struct ApplyReports: Sendable {
    let pool: PostgresPool
    let clock: DomainClock
    let fanOut: WantedStateFanOut
    let wakeSignals: WakeSignalGroup

    static let reportsMax = 100
    /// Cards of one activity on one device from which on no report claims another.
    ///
    /// More than a delivery of two days with its roll-overs and a few swipes comes to.
    static let claimsPerActivityMax = 12

    /// A report with its ids parsed.
    struct Report: Sendable {
        let card: UUID?
        let activity: ActivityID?
        let content: CardReport
    }

    /// - Returns: how many were about cards that are known; nil when the device is not the customer's.
    func callAsFunction(
        _ reports: [Report], from id: DeviceID, of customer: CustomerID, within scope: TokenScope = TokenScope()
    ) async throws -> ReportsTakenBody? {
        let now = clock.now
        let taken = try await pool.withTransaction(retriesMax: 3) { transaction -> Int? in
            guard let stored = try await ActivityRepository.lockDevice(id, in: transaction),
                stored.device.customer == customer, stored.device.isUsable(within: scope)
            else { return nil }
            let before = try await ActivityRepository.cards(on: id, in: transaction)
            let (cards, taken) = try await apply(reports, to: before, on: stored.device, now, in: transaction)
            let changed = cards.enumerated().filter { index, card in
                index >= before.count || card.card != before[index].card
            }.map(\.element)
            var statements = changed.map(ActivityRepository.save)
            if !statements.isEmpty { statements.append(ActivityRepository.makeDue([id], at: now)) }
            try await transaction.batch(statements)
            return taken
        }
        wakeSignals.wake()
        return taken.map { ReportsTakenBody(taken: $0, unknown: reports.count - $0) }
    }

    /// - Returns: the cards after the reports, claimed ones appended, and how many reports were about a card.
    private func apply(
        _ reports: [Report], to before: [StoredCard], on device: Device, _ now: Date,
        in transaction: PostgresTransaction
    ) async throws -> (cards: [StoredCard], taken: Int) {
        var cards = before
        var taken = 0
        for report in reports {
            if let index = report.index(in: cards) {
                cards[index].card.apply(report.content, at: now)
                taken += 1
            } else if let card = try await claimCard(
                report, on: device, beside: cards.map(\.card), now, in: transaction)
            {
                cards.append(card)
                taken += 1
            }
        }
        return (cards, taken)
    }

    /// A card that the app started by itself: the report claims the activity's start on this device.
    ///
    /// - Parameter cards: all of the device's, closed ones included; none of them shows or waits for the activity.
    /// - Returns: nil where the claim is refused: of an activity that is not the customer's, and beyond the device's
    ///   limits.
    private func claimCard(
        _ report: Report, on device: Device, beside cards: [Card], _ now: Date, in transaction: PostgresTransaction
    ) async throws -> StoredCard? {
        guard case .started = report.content, let id = report.activity,
            let activity = try await ActivityRepository.activity(id, on: transaction)?.activity,
            device.mayShow(activity)
        else { return nil }
        let limits = fanOut.transports.of(device)?.limits ?? .apns
        guard cards.count(where: \.state.isOnScreen) < limits.cardsPerDeviceMax,
            cards.count(where: { $0.activity == id }) < Self.claimsPerActivityMax
        else { return nil }
        // An app chooses its cards' ids; an id of another device's card stays that device's.
        var cardID = report.card
        if let known = cardID, try await ActivityRepository.isKnown(card: known, in: transaction) { cardID = nil }
        var card = Card(
            id: cardID ?? fanOut.newID(), activity: id, device: device.id,
            urgentPushes: TokenBucket(limits.urgentPushes, at: now))
        card.apply(report.content, at: now)
        return StoredCard(card)
    }
}

extension ApplyReports.Report {
    /// The card that it is about: by its id, or as the newest of its activity.
    ///
    /// A start under an unknown id is the card that waits or is starting: an activity has one card on a screen,
    /// whatever id the app gives it.
    fileprivate func index(in cards: [StoredCard]) -> Int? {
        guard let id = self.card else { return cards.lastIndex { $0.card.activity == activity } }
        if let index = cards.firstIndex(where: { $0.card.id == id }) { return index }
        return cards.lastIndex { stored in
            guard stored.card.activity == activity else { return false }
            switch stored.card.state {
            case .waiting: return true
            case .starting, .active, .lost:
                if case .started = content { return true }
                return false
            case .ended, .dismissed, .swiped, .replaced, .signedOut: return false
            }
        }
    }

    /// - Throws: `RegisterDevice.Invalid` with the path of the field that is wrong.
    init(_ body: ReportBody, at path: String) throws {
        card = try body.card.map {
            guard let id = UUID(uuidString: $0) else {
                throw RegisterDevice.Invalid(path: "\(path).card", message: "is not a card's id")
            }
            return id
        }
        activity = try body.activity.map {
            guard let id = ActivityID(rawValue: $0) else {
                throw RegisterDevice.Invalid(path: "\(path).activity", message: "is not an activity's id")
            }
            return id
        }
        guard card != nil || activity != nil else {
            throw RegisterDevice.Invalid(path: path, message: "names neither card nor activity")
        }
        let token = try body.updateToken.map { try hex($0, "\(path).updateToken") }
        content =
            switch body.kind {
            case .started: .started(updateToken: token)
            case .shown: .shown(timestamp: body.timestamp)
            case .ended: .ended
            case .dismissed: .dismissed
            case .stale: .stale
            }
    }
}
