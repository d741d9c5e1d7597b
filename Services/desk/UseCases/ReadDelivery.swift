import CardPresentation
import DeliveryDiagnosis
import DomainTime
import DoorstepAPI
import Foundation
import LiveActivity
import OrderDomain
import PhoneRules
import PostgresClient

/// Reads everything about a delivery from all services at once, as far as they answer.
struct ReadDelivery: Sendable {
    let services: ServiceClient
    let board: LiveBoard
    let pool: PostgresPool
    let clock: DomainClock

    struct Result: Sendable {
        let timeline: MergedTimeline
        /// The row of the board; nil where `orders` does not answer.
        let row: BoardBody.Row?
        let triage: Triage
        /// The providers' references; empty where `partners` does not answer.
        let providerReferences: [ProviderReferenceBody]
        /// The numbers to call; nil for a reader who may not, and where `orders` does not answer.
        let contacts: ContactsBody.Row?
        let readAt: Date
    }

    /// One of a delivery's people whom an operator calls.
    enum Person: String, Sendable {
        case customer, courier, carrier
    }

    /// - Returns: nil where there is no such delivery.
    /// - Throws: ``ServiceRefusal`` where the reader may not see it.
    func callAsFunction(_ id: DeliveryID, for user: DeskUser) async throws -> Result? {
        async let delivery = services.read(.orders, "/v1/deliveries/\(id)", for: user, as: DeliveryBody.self)
        async let entries = services.read(.orders, "/v1/deliveries/\(id)/timeline", for: user, as: TimelineBody.self)
        async let board = services.read(.orders, "/v1/deliveries?ids=\(id)", for: user, as: BoardBody.self)
        async let estimate = services.read(.courierETA, "/v1/estimates/\(id)", for: user, as: EstimateBody.self)
        async let cards = services.read(
            .activityDispatch, "/v1/activities?delivery=\(id)", for: user, as: ActivitiesBody.self)
        async let references = services.readBeside(
            .partners, "/v1/deliveries/\(id)/provider", for: user, as: ProviderReferencesBody.self)
        async let contacts = self.contacts(of: id, for: user)
        async let triage = TriageRepository.triage(of: [id], on: pool)
        let known: PeerAnswer<MergedTimeline.Orders>
        switch (try await delivery, try await entries) {
        case (.body(let delivery), .body(let timeline)):
            known = .body(
                .init(delivery: delivery, entries: timeline.entries, courierHasOthers: courierHasOthers(delivery)))
        case (.notFound, _): return nil
        case (.unavailable(let reason), _), (_, .unavailable(let reason)): known = .unavailable(reason: reason)
        case (_, .notFound): return nil
        }
        let activities = try await cards
        return Result(
            timeline: MergedTimeline(
                orders: known, estimate: try await estimate, activities: activities.map(\.activities),
                phones: activities.body?.phones ?? []),
            row: try await board.body?.deliveries.first, triage: try await triage[id] ?? .none,
            providerReferences: await references?.references ?? [], contacts: await contacts, readAt: clock.now)
    }

    /// Whether the courier of a live delivery has other live ones on the board, besides those handed over by word.
    private func courierHasOthers(_ delivery: DeliveryBody) -> Bool {
        guard let courier = delivery.courier?.id, delivery.endedAt == nil else { return false }
        return board.entries.contains { entry in
            entry.row.courier == courier && entry.row.id != delivery.id && entry.row.endedAt == nil
                && entry.row.handedOverAt == nil
        }
    }

    /// A number of the delivery, for a user who may call; `orders` records the reading.
    ///
    /// - Returns: nil where the delivery has none.
    /// - Throws: ``ServiceRefusal``, ``ServiceUnavailable``.
    func contact(_ person: Person, of id: DeliveryID, for user: DeskUser) async throws -> ContactsBody.Person? {
        let body: ContactsBody = try await services.get(
            .orders, "/v1/contacts?ids=\(id)&of=\(person.rawValue)", for: user)
        guard let row = body.contacts.first else { return nil }
        return switch person {
        case .customer: row.customer
        case .courier: row.courier
        case .carrier: row.carrier
        }
    }

    /// A photo or signature of the hand-over by its hash, for a user who may see it; `orders` records the reader.
    ///
    /// - Returns: nil where there is none, or no more.
    /// - Throws: ``ServiceRefusal``, ``ServiceUnavailable``.
    func image(
        _ hash: String, of id: DeliveryID, for user: DeskUser
    ) async throws -> (type: String, bytes: Data)? {
        try await services.image(.orders, "/v1/deliveries/\(id)/images/\(hash)", for: user)
    }

    private func contacts(of id: DeliveryID, for user: DeskUser) async -> ContactsBody.Row? {
        guard user.may(.dispatcher) else { return nil }
        return await services.readBeside(.orders, "/v1/contacts?ids=\(id)", for: user, as: ContactsBody.self)?
            .contacts.first
    }
}

extension ReadDelivery.Result {
    /// The card on a phone that shows the wanted state; nil before there is one.
    var card: PhoneCard? {
        guard let activity = timeline.activities.body?.first else { return nil }
        return PhoneCard(
            showing: activity.wanted, since: Int(activity.wantedAt.timeIntervalSince1970),
            at: Int(readAt.timeIntervalSince1970))
    }
}
