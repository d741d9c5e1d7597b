import DeliveryProviders
import DoorstepAPI
import Foundation
import NIOHTTP1
import OrderDomain
import ProviderSamples
import SeededRandom
import SimulationSupport
import WireCoding

/// A delivery that a provider brings, with all that the provider posts of it: twice, in an order of the seed's.
struct ProviderDelivery: Sendable {
    let account: ProviderAccount
    let id: DeliveryID
    /// Whether the shop names it only after the provider has posted half of its webhooks.
    let isNamedLate: Bool
    private let life: ProviderLife
    private let shuffled: [String]

    /// Domain seconds between two things that happen.
    private static let secondsBetween = 30.0
    /// Domain seconds in which everything has happened, and more.
    private static let secondsAgo = 600.0

    /// - Parameter now: domain time; everything that is reported has happened before.
    init(
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
        shuffled = (life.bodies + life.bodies).shuffled(using: &generator)
    }

    /// The customer who ordered it.
    var customer: String { account.provider.rawValue }

    /// When the provider has it delivered.
    var endsAt: Date { life.start.addingTimeInterval(Double(life.bodies.count - 1) * Self.secondsBetween) }

    /// What the provider calls whoever brings it, or itself where it names nobody.
    var courierName: String { account.provider == .instacart ? account.provider.name : "Sam" }

    /// The share of the webhooks that is posted in a round.
    func webhooks(in round: Int, of rounds: Int) -> [String] {
        shuffled.enumerated().filter { $0.offset * rounds / shuffled.count == round }.map(\.element)
    }

    /// Has the shop note what the provider calls the delivery.
    func setReference(on stack: any StackUnderTest) async throws {
        let _: ProviderReferencesBody = try await RetryingClient(stack: stack, token: stack.tokens.store).send(
            .PUT, .partners, "/v1/deliveries/\(id)/provider",
            ProviderReferenceBody(source: account.source, reference: life.reference))
    }

    // MARK: Reports

    /// Every report among the webhooks by its kind and time, each once, sorted.
    func reports() throws -> [String] {
        var reports: [String] = []
        for body in life.bodies {
            for event in try account.provider.events(in: Data(body.utf8), receivedAt: endsAt) {
                guard let report = event.report else { continue }
                reports.append(Self.mark(report.kind, at: report.occurredAt))
            }
        }
        return reports.sorted()
    }

    /// The provider's reports in a timeline in the same form, as often as they are in it.
    func reports(in timeline: TimelineBody) -> [String] {
        timeline.entries
            .filter { $0.kind == "report" && $0.source == account.provider.id && $0.isInferred != true }
            .map { Self.mark(String($0.what.prefix { $0 != ":" }), at: $0.occurredAt) }
            .sorted()
    }

    private static func mark(_ kind: String, at time: Date?) -> String { "\(kind) at \(time?.epochSeconds ?? 0)" }
}
