/// The links by which a customer reaches a delivery's store.
public struct StoreContactLinks: Codable, Hashable, Sendable {
    /// `tel:` and the store's number; nil without one.
    public let call: String?
    /// A page of the store for questions, such as a chat; nil without one.
    public let web: String?

    public init(call: String?, web: String?) {
        self.call = call
        self.web = web
    }
}
