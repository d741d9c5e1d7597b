import CommandOutput
import DomainTime
import DoorstepAPI
import Foundation
import LiveActivity
import OrderDomain
import PhoneRules
import Synchronization

@testable import Doorstep

/// A session without a server, and time that passes when a test says so.
final class FollowedCards: TrackOutput {
    static let now = 1_795_280_000

    private struct Recorded {
        var events: [CardEvent] = []
        var shown: [ScreenState] = []
        var reports: [ReportBody] = []
        /// Kinds of reports and registrations of the permission, in the order in which they were sent.
        var sent: [String] = []
        var refusesPermission = false
        var saved: DeviceState?
        /// URLs of the links that were pressed.
        var pressed: [String] = []
        /// What was recorded about deliveries after their end.
        var feedback: [String] = []
        var answer: Result<PressAnswer, CommandFailure> = .success(PressAnswer(sentence: "Done"))
        /// Wall time since the session began.
        var wall = Duration.zero
    }

    private let recorded = Mutex(Recorded())
    let clock = ManualClock(Date(timeIntervalSince1970: TimeInterval(now)))

    var events: [CardEvent] { recorded.withLock(\.events) }
    var shown: ScreenState? { recorded.withLock(\.shown.last) }
    var reports: [ReportBody] { recorded.withLock(\.reports) }
    var sent: [String] { recorded.withLock(\.sent) }
    var saved: DeviceState? { recorded.withLock(\.saved) }
    var pressed: [String] { recorded.withLock(\.pressed) }
    var feedback: [String] { recorded.withLock(\.feedback) }

    func changed(_ event: CardEvent) { recorded.withLock { $0.events.append(event) } }
    func show(_ state: ScreenState) { recorded.withLock { $0.shown.append(state) } }

    func answer(_ answer: Result<PressAnswer, CommandFailure>) { recorded.withLock { $0.answer = answer } }
    func refusePermission(_ isRefused: Bool) { recorded.withLock { $0.refusesPermission = isRefused } }
    func pass(_ time: Duration) { recorded.withLock { $0.wall += time } }

    func session(from saved: DeviceState? = nil, locale: String = "en") -> TrackSession {
        TrackSession(
            saved ?? DeviceState(phone: Phone()), clock: clock.domain, words: Words(locale: locale), output: self,
            actions: TrackSession.Actions(
                press: { url in
                    try self.recorded.withLock { recorded in
                        recorded.pressed.append(url)
                        return try recorded.answer.get()
                    }
                },
                report: { reports in
                    self.recorded.withLock { recorded in
                        recorded.reports += reports
                        recorded.sent += reports.map(\.kind.rawValue)
                    }
                },
                permit: { isOn in
                    self.recorded.withLock { recorded in
                        recorded.sent.append(isOn ? "on" : "off")
                        return !recorded.refusesPermission
                    }
                },
                save: { state in self.recorded.withLock { $0.saved = state } },
                feedback: { delivery, kind in
                    try self.recorded.withLock { recorded in
                        _ = try recorded.answer.get()
                        recorded.feedback.append("\(delivery): \(kind.rawValue)")
                    }
                }),
            elapsed: { self.recorded.withLock(\.wall) })
    }

    /// A push of a card that shows a delivery in this status.
    static func push(
        _ status: DeliverySnapshot.Status, flags: Set<DeliverySnapshot.Flag> = [], card: String = "c-1",
        event: PushPayload.Event = .start, after seconds: Int = 0, relevance: Double? = nil,
        changing change: (inout GroceryDeliveryAttributes.ContentState) -> Void = { _ in }
    ) throws -> FeedEvent {
        let sample = SampleDelivery(status: status, flags: flags)
        let step = ActivityStep.after(sample.snapshot, arrival: sample.arrival, step: 1 + seconds, now: now)
        guard case .show(let shown) = step else { throw CommandFailure(.usage, "\(status) is an end") }
        var payload: PushPayload =
            event == .start
            ? .start(shown, timestamp: now + seconds, alert: nil)
            : .update(shown, timestamp: now + seconds, alert: nil)
        if let relevance { payload.aps.relevanceScore = relevance }
        // A link of its own for each card.
        payload.aps.contentState.buttons = payload.aps.contentState.buttons.map {
            CardButton(verb: $0.verb, title: $0.title, url: "https://doorstep.example/l/\(card)/\($0.verb)")
        }
        change(&payload.aps.contentState)
        return .push(
            CardPush(
                sequence: "\(100 + seconds)", card: card, activity: "d-1042-1.1", delivery: "d-1042-1",
                payload: payload))
    }
}

extension TrackSession {
    func press(_ characters: String) async throws {
        for character in characters { _ = try await press(.character(character)) }
    }

    func answer(on card: String = "c-1") -> String? { screen.answers[card]?.text }
}
