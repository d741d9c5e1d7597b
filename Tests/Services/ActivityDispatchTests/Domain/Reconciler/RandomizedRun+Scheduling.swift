import Foundation
import LiveActivity
import Messages
import OrderDomain
import SeededRandom

@testable import ActivityDispatch

/// An app on iOS 26 that schedules cards by the rules of `DoorstepDevice`, with reports that get lost.
extension RandomizedRun {
    /// The newest order of one of six customers' places: the next is ordered some time after the last has ended.
    mutating func orderName(_ number: Int) -> String {
        let orders = written.keys.count { $0.rawValue.hasPrefix("a\(number)") }
        let name = "a\(number)" + String(repeating: "n", count: max(0, orders - 1))
        guard orders > 0, written[ActivityID(rawValue: name)!]?.wanted.isEnd == true, random.once(in: 3) else {
            return name
        }
        return name + "n"
    }

    /// When an order's card is to start: two of three are for later, and now and then one is moved.
    mutating func startTime(of id: ActivityID) -> Int {
        let seconds = Int(now.timeIntervalSince1970)
        if let known = startTimes[id], !random.once(in: 8) { return known }
        let startAt = seconds + (random.once(in: 3) ? 0 : Int.random(in: 300...3600, using: &random))
        startTimes[id] = startAt
        return startAt
    }

    /// The service's answer about a device's wanted activities.
    private func wanted(on id: DeviceID) -> [WantedActivity] {
        let live = activities.values.filter { !$0.isEnded }.sorted { $0.id < $1.id }
        return wantedActivities(
            of: live, on: devices[id]!, cards: stored(id), limits: .of(devices[id]!), now: now)
    }

    /// The person opens the app, which schedules later cards, and leaves it before or after the service's answer.
    mutating func openApp(_ id: DeviceID) {
        guard phones[id]!.isOnline, phones[id]!.iPhone != nil else { return }
        report(id)
        for one in wanted(on: id) {
            guard let instance = phones[id]!.iPhone!.schedule(one, at: now) else { continue }
            scheduledCount += 1
            let token = phones[id]!.iPhone!.updateToken(of: instance)
            let isAccepted = !random.once(in: 4)
            let pending = DeviceReport(
                card: one.card, instance: instance, activity: one.id,
                content: .card(.pending(startAt: Date(timeIntervalSince1970: TimeInterval(one.shown.startAt)))),
                updateToken: token)
            if isAccepted { apply(pending, on: id) }
            guard token == nil || !isAccepted || random.once(in: 4) else { continue }
            // The app leaves the foreground without an answer, and its next report may be lost too.
            phones[id]!.endFromApp(instance, at: now)
            if !random.once(in: 3) { reportLeft(instance, one.card, on: id) }
        }
    }

    /// The app ends what is pending and not wanted then.
    mutating func endUnwanted(_ id: DeviceID) {
        guard phones[id]!.iPhone != nil else { return }
        for (instance, card) in phones[id]!.iPhone!.endUnwanted(wanted(on: id), at: now) {
            reportLeft(instance, card, on: id)
        }
    }

    private mutating func reportLeft(_ instance: String, _ card: UUID?, on id: DeviceID) {
        apply(DeviceReport(card: card, instance: instance, content: .card(.dismissed), at: now), on: id)
    }

    private mutating func apply(_ report: DeviceReport, on id: DeviceID) {
        var reported = ReportedCards(
            device: devices[id]!, cards: stored(id), activities: activities, limits: .of(devices[id]!), now: now,
            newID: { preconditionFailure("what is scheduled is a known card") })
        reported.apply(report)
        keep(reported)
    }

    /// A device's cards, oldest first.
    func stored(_ id: DeviceID) -> [Card] { cardOrder.compactMap { cards[$0] }.filter { $0.device == id } }

    /// Stores what came of reports.
    mutating func keep(_ reported: ReportedCards) {
        for card in reported.cards {
            if cards[card.id] == nil { cardOrder.append(card.id) }
            cards[card.id] = card
        }
    }
}
