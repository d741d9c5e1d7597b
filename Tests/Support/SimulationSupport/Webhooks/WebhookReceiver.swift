package import DoorstepAPI
package import Foundation
import NIOHTTP1
package import ScriptedPeers
import SeededRandom
import Synchronization
import WebhookSignatures
import WireCoding

/// A shop's program that receives events: it verifies signatures, stores events, and refuses some attempts.
package final class WebhookReceiver: Sendable {
    /// The answers to attempts.
    package enum Mode: Sendable {
        /// Refuses one attempt in four, but at most a bounded number per event.
        case refusingSome
        case acceptingAll
        /// Every attempt is answered 503.
        case refusingAll
    }

    /// An accepted event.
    package struct AcceptedEvent: Sendable {
        package let body: Data
        package let mark: EventMark
    }

    private struct Attempt: Sendable {
        let event: String
        let at: ContinuousClock.Instant
        let isAccepted: Bool
    }

    private struct State: Sendable {
        var generator: SeededGenerator
        var mode = Mode.refusingSome
        var keys: [WebhookKey] = []
        /// Each event's first attempt.
        var first: [String: AcceptedEvent] = [:]
        var accepted: Set<String> = []
        var attempts: [Attempt] = []
        var refusals: [String: Int] = [:]
        var faults: [String] = []

        /// Keeps an attempt that is signed as it should be, and decides how it is answered.
        mutating func note(
            _ event: String, _ body: Data, refusalsMax: Int
        ) throws -> ScriptedHTTPServer.Reaction {
            if let first = first[event] {
                if first.body != body { faults.append("\(event) has two bodies") }
            } else {
                let mark = EventMark(try WireJSON.decode(WebhookEventBody.self, from: body))
                first[event] = AcceptedEvent(body: body, mark: mark)
            }
            let refusal = self.refusal(of: event, refusalsMax: refusalsMax)
            attempts.append(Attempt(event: event, at: .now, isAccepted: refusal == nil))
            if let refusal { return refusal }
            accepted.insert(event)
            return .answer(204)
        }

        /// The refusal of an attempt; nil for an accepted one.
        private mutating func refusal(of event: String, refusalsMax: Int) -> ScriptedHTTPServer.Reaction? {
            switch mode {
            case .acceptingAll: return nil
            case .refusingAll: return .answer(503)
            case .refusingSome: break
            }
            guard refusals[event, default: 0] < refusalsMax, generator.once(in: 4) else { return nil }
            refusals[event, default: 0] += 1
            switch Int.random(in: 0..<3, using: &generator) {
            case 0: return .answer(500)
            case 1: return .answer(503, headers: ["retry-after": "1"])
            default: return .close
            }
        }
    }

    private let refusalsMax: Int
    private let state: Mutex<State>

    /// - Parameters:
    ///   - seed: decides which attempts are refused, as far as they come in the same order.
    ///   - refusalsMax: attempts of one event that are refused; after three failures an event waits for half an hour.
    package init(seed: UInt64, refusalsMax: Int = 2) {
        state = Mutex(State(generator: SeededGenerator(seed: seed)))
        self.refusalsMax = refusalsMax
    }

    /// Accepts signatures by this secret alone.
    package func trust(_ secret: String) throws {
        let key = try WebhookKey(secret)
        state.withLock { $0.keys = [key] }
    }

    package func set(_ mode: Mode) { state.withLock { $0.mode = mode } }

    /// Records an attempt, and decides its answer.
    package func receive(_ request: ScriptedHTTPServer.Request) -> ScriptedHTTPServer.Reaction {
        let webhook = StandardWebhook(
            id: request.value("webhook-id") ?? "", timestamp: request.value("webhook-timestamp") ?? "",
            signature: request.value("webhook-signature") ?? "")
        let body = Data(request.body)
        return state.withLock { state -> ScriptedHTTPServer.Reaction in
            do {
                try webhook.verify(body, keys: state.keys, now: Date())
                return try state.note(webhook.id, body, refusalsMax: refusalsMax)
            } catch {
                state.faults.append("\(webhook.id) is not signed as it should be, or cannot be read: \(error)")
                return .answer(401)
            }
        }
    }

    /// Events whose signature is wrong, that cannot be read, or that came with two bodies.
    package var faults: [String] { state.withLock { $0.faults } }

    /// Each event that was answered 204, by the event's id.
    package var accepted: [String: AcceptedEvent] {
        state.withLock { state in state.first.filter { state.accepted.contains($0.key) } }
    }

    /// The bodies of the accepted events.
    package func events() throws -> [WebhookEventBody] {
        try accepted.values.map { try WireJSON.decode(WebhookEventBody.self, from: $0.body) }
    }

    /// Attempts of events accepted before.
    ///
    /// - Parameter isLawful: whether an event accepted at this time may be repeated.
    package func repeats(unless isLawful: (ContinuousClock.Instant) -> Bool) -> [String] {
        var acceptedAt: [String: ContinuousClock.Instant] = [:]
        var repeats: [String] = []
        for attempt in state.withLock({ $0.attempts }) {
            if let at = acceptedAt[attempt.event], !isLawful(at) {
                repeats.append("\(attempt.event), \((attempt.at - at) / .seconds(1)) s after it was taken")
            }
            if attempt.isAccepted { acceptedAt[attempt.event] = attempt.at }
        }
        return repeats
    }
}
