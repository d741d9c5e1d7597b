/// The stores of a setting, each with a value: a list such as `nordhavn, valby:2`, or one entry for `*`, every store.
public struct StoreTable<Value: Hashable & Sendable>: Hashable, Sendable {
    private var byStore: [StoreID: Value] = [:]
    private var ofEvery: Value?

    /// No store.
    public init() {}

    /// Nil where the text has another form, or names a store twice with different values.
    ///
    /// - Parameter value: the value by the text after a store's colon, nil where it has none; nil for a text of another
    ///   form.
    public init?(_ text: String, value: (Substring?) -> Value?) {
        let entries = text.filter { !$0.isWhitespace }.split(separator: ",", omittingEmptySubsequences: false)
        for entry in entries {
            let parts = entry.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard let value = value(parts.count > 1 ? parts[1] : nil) else { return nil }
            if parts[0] == "*", entries.count == 1 {
                ofEvery = value
            } else {
                guard let store = StoreID(rawValue: String(parts[0])), byStore[store] ?? value == value
                else { return nil }
                byStore[store] = value
            }
        }
    }

    /// The store's value; nil where the setting does not include it.
    public subscript(store: StoreID) -> Value? { byStore[store] ?? ofEvery }
}
