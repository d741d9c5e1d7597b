import DeliveryDiagnosis
import DoorstepAPI
import OrderDomain
import Synchronization

/// Finds where the stores of deliveries are: it asks about each store once, by one of its deliveries.
final class FindStores: Sendable {
    struct Place: Sendable {
        let id: String
        let name: String
        let latitude: Double
        let longitude: Double
    }

    private static let placesMax = 10_000

    private let services: ServiceClient
    /// The stores that this process has asked about; they do not move.
    private let places = Mutex<[String: Place]>([:])

    init(services: ServiceClient) { self.services = services }

    /// The places of stores by their ids, except those without an answer from `orders`.
    ///
    /// - Throws: ``ServiceRefusal``.
    func callAsFunction(of entries: [Board.Entry]) async throws -> [Place] {
        let deliveries = Dictionary(
            entries.map { ($0.row.store.rawValue, $0.row.id) }, uniquingKeysWith: { one, _ in one })
        var found: [Place] = []
        for (id, delivery) in deliveries.sorted(by: { $0.key < $1.key }) {
            if let place = try await place(of: id, by: delivery) { found.append(place) }
        }
        return found
    }

    /// The refusal of a filter's store, with those that may be meant; nil where an order is of it, and while `orders`
    /// does not answer.
    func unknown(_ store: String, of entries: [Board.Entry], for user: DeskUser) async -> String? {
        if StoreID(rawValue: store) != nil {
            let query = URLQuery.text([("store", store), ("limit", "1")])
            let known = await services.readBeside(.orders, "/v1/orders" + query, for: user, as: OrdersBody.self)
            guard known?.orders.isEmpty == true else { return nil }
        }
        return UnknownStore(store, among: entries.map(\.row.store.rawValue)).description
    }

    private func place(of id: String, by delivery: DeliveryID) async throws -> Place? {
        if let kept = places.withLock({ $0[id] }) { return kept }
        guard let store = try await services.storePlace(by: delivery) else { return nil }
        let place = Place(
            id: id, name: store.name, latitude: store.location.latitude, longitude: store.location.longitude)
        places.withLock { places in
            if places.count >= Self.placesMax { places.removeAll() }
            places[id] = place
        }
        return place
    }
}
