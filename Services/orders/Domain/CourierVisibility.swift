import OrderDomain

/// The stores whose customers see on a map where their courier is, and how many stops before their own.
struct CourierVisibility: Hashable, Sendable {
    static let stopsRange = 0...20

    private var customers = StoreTable<Int>()
    private var forwarded = StoreTable<Bool>()

    /// No page shows a courier.
    init() {}

    /// Nil where a text has another form.
    ///
    /// - Parameters:
    ///   - customers: a list such as `nordhavn, valby:2`, or `*`: stores, each with the number of other stops before
    ///     the customer's own; without a number, only the next stop's customer sees the courier.
    ///   - forwarded: the stores whose forwarded view links show the courier too.
    init?(customers: String, forwarded: String? = nil) {
        let stops = StoreTable<Int>(customers) { text in
            guard let text else { return 0 }
            return Int(text).flatMap { Self.stopsRange.contains($0) ? $0 : nil }
        }
        guard let stops else { return nil }
        self.customers = stops
        guard let forwarded else { return }
        guard let shared = StoreTable<Bool>(forwarded, value: { $0 == nil ? true : nil }) else { return nil }
        self.forwarded = shared
    }

    /// Whether any store's customers see their courier.
    var isUsed: Bool { customers != StoreTable() }

    /// Whether a link's page may have a map before the delivery's end.
    func hasMap(_ link: Link, of delivery: Delivery) -> Bool {
        let store = delivery.store.id
        return delivery.endedAt == nil && customers[store] != nil && (!link.isShared || forwarded[store] != nil)
    }

    /// Whether the delivery's map shows the courier now.
    func showsCourier(of delivery: Delivery) -> Bool {
        customers[delivery.store.id].map { delivery.mayShowCourier(stopsMax: $0) } ?? false
    }
}
