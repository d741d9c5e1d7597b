import OrderDomain

/// The stores whose customers may see the photos and signatures of their hand-overs.
///
/// Its text is a list such as `nordhavn, valby`, or `*` for every store.
struct ImageVisibility: Hashable, Sendable {
    private var stores = StoreTable<Bool>()

    /// No customer sees any.
    init() {}

    /// Nil where the text has another form.
    init?(_ text: String) {
        guard let stores = StoreTable<Bool>(text, value: { $0 == nil ? true : nil }) else { return nil }
        self.stores = stores
    }

    func includes(_ store: StoreID) -> Bool { stores[store] != nil }

    /// Whether a delivery's customer may see a photo or signature of it: the one that counts of a required proof.
    ///
    /// What a failed attempt, another door or a reopening has voided may show another customer's door.
    func shows(_ image: String, of delivery: Delivery) -> Bool {
        includes(delivery.store.id)
            && delivery.requiredProofs.contains { delivery.proof?.result(of: $0)?.image == image }
    }
}
