import OrderDomain

/// The stores whose customers may see the photos and signatures of their hand-overs.
///
/// Its text is a list such as `nordhavn, valby`, or `*` for every store.
struct ImageVisibility: Hashable, Sendable {
    private var stores: Set<StoreID> = []
    private var isForEveryStore = false

    /// No customer sees any.
    init() {}

    /// Nil where the text has another form.
    init?(_ text: String) {
        let names = text.split(separator: ",", omittingEmptySubsequences: false)
            .map { name in String(name.filter { !$0.isWhitespace }) }
        if names == ["*"] {
            isForEveryStore = true
            return
        }
        let stores = names.compactMap(StoreID.init(rawValue:))
        guard stores.count == names.count else { return nil }
        self.stores = Set(stores)
    }

    func includes(_ store: StoreID) -> Bool { isForEveryStore || stores.contains(store) }
}
