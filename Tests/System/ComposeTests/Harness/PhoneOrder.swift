import DoorstepAPI
import EmulatorAPI
import Foundation
import LiveActivity
import OrderDomain
import PhoneRules
import SimulationSupport
import TestSupport
import Testing
import WireCoding

/// A customer with an emulated iPhone, and the delivery that it shows.
struct PhoneOrder: Sendable {
    let simulation: Simulation
    let phones: EmulatedPhones
    let phone: String
    let delivery: DeliveryID
    let run: DeliveryRun

    private var client: RetryingClient { simulation.stack.asOperator }

    // MARK: What is true

    /// The delivery as `orders` has it.
    func body() async throws -> DeliveryBody { try await client.get(.orders, "/v1/deliveries/\(delivery)") }

    /// Its card on the phone as `activity-dispatch` knows it; nil before there is one.
    func knownCard() async throws -> CardBody? {
        do {
            let activity: ActivityBody = try await client.get(
                .dispatch, "/v1/activities/\(try await body().activity)")
            return activity.cards.last { $0.device == phone }
        } catch let refused as RetryingClient.ResponseError where refused.status == 404 {
            // No intent has arrived yet.
            return nil
        }
    }

    /// Every card of it that the phone remembers.
    func cards() async throws -> [EmulatedPhoneBody.Card] {
        try await phones.phone(phone).cards.filter { $0.attributes.delivery == delivery.rawValue }
    }

    // MARK: What must hold

    /// Expects that the phone comes to show one card, with the delivery's status of now.
    func expectTruth(_ moment: String) async throws {
        var untruth: String?
        try await eventually(
            "\(phone) shows its delivery \(moment)", explain: { "\(untruth ?? "")\n\(await explanation)" }
        ) {
            let wanted = try await body()
            untruth = Self.untruth(of: try await cards(), wanted)
            return untruth == nil
        }
    }

    /// What is wrong with the cards of an open delivery.
    private static func untruth(of cards: [EmulatedPhoneBody.Card], _ wanted: DeliveryBody) -> String? {
        guard cards.count == 1, let card = cards.first else { return "\(cards.count) cards" }
        guard card.state == .active else { return "its card is \(card.state)" }
        let (revision, phase) = (card.content.revision, card.content.phase)
        guard revision.version == wanted.version, phase.rawValue == wanted.phase.rawValue else {
            return "it shows \(phase) of \(revision), not \(wanted.phase) of version \(wanted.version)"
        }
        return nil
    }

    /// Expects that the phone's one card comes to its end, with the delivery's last content and its dismissal date.
    func expectEnd(_ ended: Simulation.Ended) async throws {
        try await eventually("the card on \(phone) has ended", explain: { await explanation }) {
            try await cards().contains { $0.state == .ended || $0.state == .dismissed }
        }
        let all = try await cards()
        let card = try #require(all.count == 1 ? all.first : nil, "one card on \(phone): \(all)")
        #expect(card.content.phase == .ended)
        #expect(card.content.headline.code == ended.ending.status.rawValue, "\(card.content)")
        #expect(card.content.revision.version == ended.delivery.version, "\(card.content)")
        #expect(!card.wasEndedBySystem)
        let endedAt = try #require(ended.delivery.endedAt).epochSeconds
        let dismissedAt = try #require(card.dismissedAt)
        // The configured time after the end, but visible for at least a minute.
        let wanted = max(endedAt + ended.ending.keptSeconds, card.timestamp + 60)
        // The wire rounds the end to a millisecond, which may be another second.
        #expect(abs(dismissedAt - wanted) <= 1, "dismissed at \(dismissedAt), not \(wanted): \(card)")
    }

    /// Expects that in its time the phone shows nothing at all any more.
    func expectGone() async throws {
        try await eventually("\(phone) shows nothing", within: 180, explain: { await explanation }) {
            let phone = try await phones.phone(phone)
            return phone.lockScreen.isEmpty && phone.island.form == .empty
        }
        let states = try await cards().map(\.state)
        #expect(states == [.dismissed], "\(phone)")
    }

    /// What an operator reads of it, and what became of the phone's pushes.
    var explanation: String {
        get async {
            let why = try? await simulation.stack.ops(["why", delivery.rawValue])
            let pushes = try? await phones.phone(phone).pushes?.map { push in
                "\(push.event ?? "stored") t\(push.timestamp ?? 0) at \(push.at): \(push.outcome)"
            }
            return "\(why ?? "ops why failed")\n\(phone): \(pushes ?? [])"
        }
    }
}

extension Array where Element == PhoneOrder {
    /// Reports a status of each.
    func report(_ status: StatusCode) async throws { try await forEachAtOnce { try await $0.run.report(status) } }

    func expectTruth(_ moment: String) async throws { try await forEachAtOnce { try await $0.expectTruth(moment) } }

    func forEachAtOnce(_ body: @escaping @Sendable (PhoneOrder) async throws -> Void) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for order in self { group.addTask { try await body(order) } }
            try await group.waitForAll()
        }
    }
}
