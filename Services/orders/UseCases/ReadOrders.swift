import DoorstepAPI
import OrderDomain
import PostgresClient

/// Reads orders and deliveries for readers who may see them.
struct ReadOrders: Sendable {
    let pool: PostgresPool
    let personalData: PersonalDataBox

    /// An order with its deliveries that the reader may see; nil without any.
    func order(_ id: OrderID, for reader: Principal) async throws -> (order: Order, deliveries: [DeliveryRecord])? {
        guard let order = try await OrderRepository.order(id, on: pool) else { return nil }
        let visible = try await OrderRepository.deliveries(of: id, opening: personalData, on: pool)
            .filter { reader.sees($0.delivery) }
        return visible.isEmpty ? nil : (order, visible)
    }

    /// - Returns: nil where there is no such delivery, or it is not the reader's to see.
    func delivery(_ id: DeliveryID, for reader: Principal) async throws -> DeliveryRecord? {
        guard let record = try await OrderRepository.delivery(id, opening: personalData, on: pool),
            reader.sees(record.delivery)
        else { return nil }
        return record
    }

    /// The delivery with its timeline as this reader may see it, oldest entry first.
    ///
    /// - Returns: nil where there is no such delivery, or it is not the reader's to see.
    func timeline(
        of id: DeliveryID, for reader: Principal
    ) async throws -> (delivery: Delivery, entries: [TimelineEntry])? {
        guard let record = try await delivery(id, for: reader) else { return nil }
        let entries = try await OrderRepository.timeline(id, on: pool).filter { $0.isVisible(to: reader) }
            .map { $0.redacted(for: reader) }
        return (record.delivery, entries)
    }

    /// A courier's newest description by the store, or else by the shop; nil without either.
    ///
    /// Other stores' descriptions of their couriers are hidden.
    func courier(_ id: CourierID, of store: StoreID) async throws -> Courier? {
        try await OrderRepository.courier(id, of: store, on: pool)
    }

    /// A courier as a live delivery of the store has them, or else a former version of the delivery; nil without one.
    func courier(
        _ id: CourierID, inDeliveriesOf store: StoreID, andVersionsOf delivery: DeliveryID
    ) async throws -> Courier? {
        try await OrderRepository.courier(id, inDeliveriesOf: store, andVersionsOf: delivery, on: pool)
    }

    /// The refusal of a courier whom neither a description nor a delivery of the store has.
    func unknown(_ id: CourierID, to store: StoreID) async throws -> UnknownCourier {
        UnknownCourier(id, among: try await OrderRepository.couriers(of: store, on: pool))
    }
}
