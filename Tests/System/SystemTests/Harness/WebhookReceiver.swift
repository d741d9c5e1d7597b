import DoorstepAPI
import Foundation
import NIOHTTP1
import SeededRandom
import Synchronization
import WebPushTesting
import WebhookSignatures
import WireCoding

/// A shop's program that takes events: it believes what is signed, keeps what came, and refuses some attempts.
final class WebhookReceiver: Sendable {
    private struct Attempt: Sendable {
        let event: String
        let at: ContinuousClock.Instant
        let isTaken: Bool
    }

    private struct State: Sendable {
        var generator: SeededGenerator
        var keys: [WebhookKey] = []
        /// The body with which each event came first.
        var bodies: [String: Data] = [:]
        var taken: Set<String> = []
        var attempts: [Attempt] = []
        var refusals: [String: Int] = [:]
        var faults: [String] = []

        /// Keeps an attempt that is signed as it should be, and decides how it is answered.
        mutating func note(_ event: String, _ body: Data) -> FakePushService.Reaction {
            if let first = bodies[event], first != body { faults.append("\(event) has two bodies") }
            bodies[event] = bodies[event] ?? body
            let refusal = self.refusal(of: event)
            attempts.append(Attempt(event: event, at: .now, isTaken: refusal == nil))
            if let refusal { return refusal }
            taken.insert(event)
            return .answer(204)
        }

        /// How one attempt in four is refused; nil for the others.
        private mutating func refusal(of event: String) -> FakePushService.Reaction? {
            guard refusals[event, default: 0] < WebhookReceiver.refusalsMax, generator.once(in: 4) else { return nil }
            refusals[event, default: 0] += 1
            switch Int.random(in: 0..<3, using: &generator) {
            case 0: return .answer(500)
            case 1: return .answer(503, headers: ["retry-after": "1"])
            default: return .close
            }
        }
    }

    /// Attempts of one event that are refused; more would have it wait for minutes.
    private static let refusalsMax = 2

    private let state: Mutex<State>

    /// - Parameter seed: decides which attempts are refused, as far as they come in the same order.
    init(seed: UInt64) { state = Mutex(State(generator: SeededGenerator(seed: seed))) }

    /// Believes what this secret signs.
    func trust(_ secret: String) throws {
        let key = try WebhookKey(secret)
        state.withLock { $0.keys = [key] }
    }

    /// Takes an attempt in, and decides how it is answered.
    func take(_ request: FakePushService.Request) -> FakePushService.Reaction {
        let webhook = StandardWebhook(
            id: request.value("webhook-id") ?? "", timestamp: request.value("webhook-timestamp") ?? "",
            signature: request.value("webhook-signature") ?? "")
        let body = Data(request.body)
        return state.withLock { state -> FakePushService.Reaction in
            do {
                try webhook.verify(body, keys: state.keys, now: Date())
            } catch {
                state.faults.append("\(webhook.id) is not signed as it should be: \(error)")
                return .answer(401)
            }
            return state.note(webhook.id, body)
        }
    }

    /// Events whose signature is wrong, or that came with two bodies.
    var faults: [String] { state.withLock { $0.faults } }

    /// The body of each event that was answered 204, by the event's id.
    var taken: [String: Data] { state.withLock { state in state.bodies.filter { state.taken.contains($0.key) } } }

    /// What the taken events say.
    func events() throws -> [WebhookEventBody] {
        try taken.values.map { try WireJSON.decode(WebhookEventBody.self, from: $0) }
    }

    /// Attempts of events that had been taken already.
    ///
    /// - Parameters:
    ///   - moments: an event that was taken at one of these may come again.
    ///   - seconds: wall seconds before and after them that count as the moment.
    func repeats(butAfter moments: [ContinuousClock.Instant], within seconds: Double) -> [String] {
        var takenAt: [String: ContinuousClock.Instant] = [:]
        var repeats: [String] = []
        for attempt in state.withLock({ $0.attempts }) {
            if let at = takenAt[attempt.event],
                !moments.contains(where: { abs(Self.seconds(from: at, to: $0)) <= seconds })
            {
                repeats.append("\(attempt.event), \(Self.seconds(from: at, to: attempt.at)) s after it was taken")
            }
            if attempt.isTaken { takenAt[attempt.event] = attempt.at }
        }
        return repeats
    }

    private static func seconds(from: ContinuousClock.Instant, to: ContinuousClock.Instant) -> Double {
        (to - from) / .seconds(1)
    }
}
