import EmulatorAPI
import FaultInjection
import LiveActivity
import PhoneRules
import SimulationSupport

/// The iPhones of some customers, which get their pushes from Apple's service alone.
struct IPhoneFleet: Sendable {
    private struct Owned: Sendable {
        let id: String
        let customer: String
    }

    /// Starts that a phone takes in an hour.
    ///
    /// An hour of domain time is three minutes here, in which a customer orders more often than people do in an hour.
    private static let startBudget = 1_000

    /// What `activity-dispatch` takes for the budget of starts.
    static let settings = ["BUDGETS_STARTS": "100", "BUDGETS_START_INTERVAL": "30"]

    let phones: EmulatedPhones
    private let owned: [Owned]
    private let watch: PhoneWatch

    var ids: [String] { owned.map(\.id) }

    func customer(of phone: String) -> String? { owned.first { $0.id == phone }?.customer }

    /// - Parameter customers: each has one.
    init(customers: [String], on stack: ProxiedStack) async throws {
        guard let phones = stack.processes.phones else { preconditionFailure("the stack has phones") }
        self.phones = phones
        owned = customers.map { Owned(id: "\($0)-iphone", customer: $0) }
        for phone in owned {
            try await phones.add(
                phone.id, customerToken: try await stack.tokens.customer(phone.customer),
                startBudget: Self.startBudget)
        }
        // A phone that was offline, or whose card's token is gone, may be sent a start that it has no room for.
        watch = PhoneWatch(
            phones, of: owned.map(\.id), alsoAllowing: [.targetMaximumExceeded], replacesCards: true,
            every: .seconds(1))
    }

    /// Records what breaks at any moment, until it is cancelled.
    func follow() async { await watch.run() }

    /// Has every customer open the app, which is what settles a start without an answer and a token that is gone.
    func openApps() async throws { for phone in owned { try await phones.act(.launchApp, on: phone.id) } }

    /// Pushes that were shown.
    func pushCount() async throws -> Int {
        var count = 0
        for id in ids {
            count += try await phones.phone(id, hasPushes: false).counts[PushOutcome.applied.rawValue] ?? 0
        }
        return count
    }

    func screens() async throws -> [StackSnapshot.Screen] {
        var screens: [StackSnapshot.Screen] = []
        for phone in owned {
            let body = try await phones.phone(phone.id, hasPushes: false)
            screens.append(
                StackSnapshot.Screen(
                    device: phone.id, customer: phone.customer,
                    cards: body.cards.filter { $0.state != .dismissed }.map(StackSnapshot.Screen.Card.init),
                    violations: await watch.violations(on: phone.id)))
        }
        return screens
    }
}

extension StackSnapshot.Screen.Card {
    fileprivate init(_ card: EmulatedPhoneBody.Card) {
        self.init(
            card: card.instance, activity: card.attributes.activity, delivery: card.attributes.delivery,
            version: card.content.revision.version, phase: card.content.phase.rawValue,
            headline: card.content.headline.code,
            count: card.content.headline.values["count"].flatMap { Int($0) }, isLive: card.state.isLive)
    }
}
