/// The links by which a customer reaches a delivery's store.
public struct StoreContactLinks: Codable, Hashable, Sendable {
    /// `tel:` and the store's number; nil without one.
    public let call: String?
    /// A page of the store for questions, such as a chat; nil without one.
    public let web: String?
    /// `mailto:` and the store's e-mail address; nil without one.
    public let mail: String?

    public init(call: String?, web: String?, mail: String? = nil) {
        self.call = call
        self.web = web
        self.mail = mail
    }
}
