import DeliveryProviders
package import DoorstepAPI
package import Foundation
import NIOHTTP1
package import OrderDomain
import ProviderSamples
package import SeededRandom
import WireCoding

/// A delivery that a provider brings, with all that the provider posts of it: twice, in an order of the seed's.
package struct ProviderDelivery: Sendable {
    package let account: ProviderAccount
    package let id: DeliveryID
    /// Whether the shop names it only after the provider has posted half of its webhooks.
    package let isNamedLate: Bool
    private let life: ProviderLife
    /// All that the provider posts, in its order.
    package let webhooks: [String]

    /// Domain seconds between two events.
    private static let secondsBetween = 30.0
    /// Domain seconds in which everything has happened, and more.
    private static let secondsAgo = 600.0

    /// - Parameter now: domain time; everything that is reported has happened before.
    package init(
        _ id: DeliveryID, by account: ProviderAccount, isNamedLate: Bool, now: Date,
        using generator: inout SeededGenerator
    ) {
        self.account = account
        self.id = id
        self.isNamedLate = isNamedLate
        // Whole seconds, since not every provider has fractions.
        let start = Date(timeIntervalSince1970: (now.timeIntervalSince1970 - Self.secondsAgo).rounded(.down))
        life = ProviderLife(
            of: account.provider, reference: "\(account.provider.rawValue)-\(id)", from: start,
            secondsBetween: Self.secondsBetween)
        webhooks = (life.bodies + life.bodies).shuffled(using: &generator)
    }

    /// When the provider has it delivered.
    package var endsAt: Date { life.start.addingTimeInterval(Double(life.bodies.count - 1) * Self.secondsBetween) }

    /// The courier's name in its webhooks, or the provider's name where it sends none.
    package var courierName: String { account.provider == .instacart ? account.provider.name : "Sam" }

    /// The share of the webhooks that is posted in a round.
    package func webhooks(in round: Int, of rounds: Int) -> [String] {
        webhooks.enumerated().filter { $0.offset * rounds / webhooks.count == round }.map(\.element)
    }

    /// Sets the provider's reference of the delivery, as the shop.
    package func setReference(on stack: any StackUnderTest) async throws {
        let _: ProviderReferencesBody = try await stack.asStore.send(
            .PUT, .partners, "/v1/deliveries/\(id)/provider",
            ProviderReferenceBody(source: account.source, reference: life.reference))
    }

    // MARK: Reports

    /// Every report among the webhooks by its kind and time, each once, sorted.
    package func reports() throws -> [String] { try life.bodies.flatMap { try reports(in: $0) }.sorted() }

    /// The reports of one webhook in the same form.
    package func reports(in webhook: String) throws -> [String] {
        let events = try account.provider.events(
            in: Data(webhook.utf8), receivedAt: endsAt, from: account.source.rawValue)
        return try events.compactMap { try $0.get().report }.map {
            TimelineBody.mark(of: $0.kind, from: account.provider.id, at: $0.occurredAt)
        }
    }

    /// The provider's reports in a timeline in the same form, as often as they are in it.
    package func reports(in timeline: TimelineBody) -> [String] {
        timeline.entries.filter { $0.source == account.provider.id }.compactMap(\.reportMark).sorted()
    }
}

extension TimelineBody {
    fileprivate static func mark(of kind: String, from provider: ProviderID?, at time: Date?) -> String {
        "\(provider?.rawValue ?? "") \(kind) at \(time?.epochSeconds ?? 0)"
    }
}

extension TimelineBody.Entry {
    /// The provider, the kind and the time of its report; nil for an entry without a report.
    package var reportMark: String? {
        guard kind == "report", isInferred != true else { return nil }
        return TimelineBody.mark(of: String(what.prefix { $0 != ":" }), from: source, at: occurredAt)
    }
}
