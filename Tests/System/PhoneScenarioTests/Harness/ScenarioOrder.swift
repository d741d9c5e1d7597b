import Foundation
import LiveActivity
import Messages
import OrderDomain
import SeededRandom
import WireCoding

/// One delivery as its writers tell of it, from its order to its end.
struct ScenarioOrder: Sendable {
    enum Chapter: Hashable, Sendable {
        /// Another status, with an alert where it is worth one.
        case phase(LiveActivity.Phase, isAlert: Bool)
        /// The arrival moves by seconds.
        case estimate(seconds: Int)
        case end
    }

    let customer: CustomerID
    let delivery: DeliveryID
    var activity: ActivityID { ActivityID(delivery, episode: 1) }
    /// What its writers wrote last; nil before the first.
    private(set) var written: ActivityStep?
    /// When what is written last was said last.
    private var writtenAt = Date.distantPast
    /// What is yet to be written, in order.
    private var chapters: [(at: Date, chapter: Chapter)]
    private var arrival: Int
    /// When its card is to start, epoch seconds.
    var startAt = 0
    private var phase = LiveActivity.Phase.received

    /// Seconds after which writers say again what is still true, as `SnapshotRepublisher` does.
    private static let repeatedAfter: TimeInterval = 600
    /// Seconds for which a state is fresh.
    private static let freshFor = 20 * 60

    /// - Parameter arrival: what its writers say first.
    init(_ delivery: DeliveryID, of customer: CustomerID, arrival: Date, chapters: [(at: Date, chapter: Chapter)] = [])
    {
        self.delivery = delivery
        self.customer = customer
        self.chapters = chapters
        self.arrival = arrival.epochSeconds
    }

    var isOver: Bool { written?.isEnd ?? false }

    /// When there is something to write next; nil after the end.
    var nextAt: Date? {
        guard !isOver else { return nil }
        let again = written == nil ? Date.distantFuture : writtenAt.addingTimeInterval(Self.repeatedAfter)
        return min(chapters.first?.at ?? .distantFuture, again)
    }

    /// Writes what is due; nil where nothing is.
    mutating func write(at now: Date) -> Intent? {
        guard let nextAt, nextAt <= now else { return nil }
        while let next = chapters.first, next.at <= now { advance(chapters.removeFirst().chapter, at: now) }
        if case .show(let shown) = written { written = .show(shown.fresh(until: now.epochSeconds + Self.freshFor)) }
        writtenAt = now
        return written.map {
            Intent(
                activity: activity, customer: customer, delivery: delivery, store: nil, writer: .orders, step: $0)
        }
    }

    /// Writes a chapter that the test makes up now.
    mutating func write(_ chapter: Chapter, at now: Date) -> Intent? {
        chapters.insert((now, chapter), at: 0)
        return write(at: now)
    }

    private mutating func advance(_ chapter: Chapter, at now: Date) {
        let revision = written?.content.revision ?? Revision(version: 0, step: 0)
        let next: Revision
        var alert: ActivityAlert?
        switch chapter {
        case .phase(let phase, let isAlert):
            self.phase = phase
            next = Revision(version: revision.version + 1, step: 0)
            if isAlert { alert = .scenario(phase.rawValue, until: now.epochSeconds + 600) }
        case .estimate(let seconds):
            arrival = max(arrival + seconds, now.epochSeconds + 120)
            next = Revision(version: revision.version, step: revision.step + 1)
            if case .show(let shown) = written { alert = shown.alert }
        case .end:
            phase = .ended
            next = Revision(version: revision.version + 1, step: 0)
        }
        let content = GroceryDeliveryAttributes.ContentState(
            headline: Phrase(code: phase.rawValue, text: phase.rawValue), phase: phase, progress: 0.5,
            arrival: phase == .ended ? nil : .init(from: arrival - 300, to: arrival), revision: next)
        let attributes = GroceryDeliveryAttributes(
            activity: activity.rawValue, delivery: delivery.rawValue, reference: "G-1042", store: "Nordhavn",
            bag: .init(number: 1, count: 1), itemCount: 3, promise: nil, timeZone: "Europe/Copenhagen")
        if chapter == .end {
            written = .ended(
                EndedActivity(
                    attributes: attributes, content: content, endedAt: now.epochSeconds,
                    dismissal: .after(seconds: 900), alert: .scenario("ended", until: now.epochSeconds + 600)))
        } else {
            written = .show(
                ShownActivity(
                    attributes: attributes, content: content, startAt: startAt, staleAt: 0,
                    relevance: Double(-arrival), alert: alert))
        }
    }
}

extension ScenarioOrder {
    /// A delivery of one to two hours, or in one of ten of nine to ten, all drawn from the seed.
    static func random(
        of customer: CustomerID, placedAt: Date, isLong: Bool, using random: inout SeededGenerator
    ) -> ScenarioOrder {
        var at = placedAt
        var chapters: [(at: Date, chapter: Chapter)] = [(at, .phase(.received, isAlert: false))]
        func wait(_ minutes: ClosedRange<Double>) { at += Double.random(in: minutes, using: &random) * 60 }
        wait(1...10)
        chapters.append((at, .phase(.picking, isAlert: true)))
        if isLong {
            let end = placedAt + Double.random(in: 8.5...9.3, using: &random) * 3600
            while at < end {
                wait(20...60)
                chapters.append((at, .phase(random.once(in: 2) ? .picking : .packed, isAlert: false)))
            }
        }
        wait(5...25)
        chapters.append((at, .phase(.packed, isAlert: random.once(in: 2))))
        wait(2...15)
        chapters.append((at, .phase(.onTheWay, isAlert: true)))
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            wait(1...4)
            chapters.append((at, .estimate(seconds: Int.random(in: -400...600, using: &random))))
        }
        wait(1...3)
        chapters.append((at, .phase(.arriving, isAlert: true)))
        wait(1...3)
        chapters.append((at, .phase(.atDoor, isAlert: true)))
        wait(1...4)
        chapters.append((at, .end))
        return ScenarioOrder(DeliveryID(random.uuid()), of: customer, arrival: at, chapters: chapters)
    }
}

extension ShownActivity {
    fileprivate func fresh(until staleAt: Int) -> ShownActivity {
        ShownActivity(
            attributes: attributes, content: content, startAt: startAt, staleAt: staleAt, relevance: relevance,
            alert: alert)
    }
}

extension ActivityAlert {
    fileprivate static func scenario(_ id: String, until: Int) -> ActivityAlert {
        .init(id: id, validUntil: until, title: .init(code: id, text: id), body: .init(code: id, text: id))
    }
}

extension SeededGenerator {
    mutating func uuid() -> UUID {
        let (high, low) = (next(), next())
        return withUnsafeBytes(of: (high, low)) { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    }
}
