extension Phrase {
    /// The lines of the details about reaching a store, one for each way.
    ///
    /// - Parameters:
    ///   - phone: the store's number, as it is shown; nil without one.
    ///   - web: the URL of the store's page for questions; nil without one.
    ///   - email: the store's e-mail address; nil without one.
    public static func contactLines(
        of store: String, phone: String?, web: String?, email: String? = nil
    ) -> [Phrase] {
        [
            phone.map { Phrase(.lineCallStore, ["store": store, "phone": $0]) },
            web.map { Phrase(.lineWriteStore, ["store": store, "web": $0]) },
            email.map { Phrase(.lineWriteStore, ["store": store, "web": $0]) },
        ].compactMap(\.self)
    }
}
