import OrderDomain

/// The proofs that stores require by default: of every order, and of items of a class.
///
/// Its text is `nordhavn=pin; nordhavn/alcohol=age; */pharmacy=pin+signature`: a store or `*` for every store, a class
/// of items after a slash, and the proofs. A store's own rule for every order replaces that of `*`; rules of classes
/// add up.
struct ProofRules: Hashable, Sendable {
    private struct Scope: Hashable {
        /// Nil for every store.
        let store: StoreID?
        /// Nil for every order.
        let itemClass: String?
    }

    private var rules: [Scope: Set<ProofKind>] = [:]

    /// No store requires a proof by default.
    init() {}

    /// Nil where the text has another form, or has a rule twice.
    init?(_ text: String) {
        for part in text.split(separator: ";") where !part.allSatisfy(\.isWhitespace) {
            let sides: [String] = part.split(separator: "=", omittingEmptySubsequences: false).map { side in
                String(side).filter { !$0.isWhitespace }
            }
            guard sides.count == 2, let scope = Self.scope(sides[0]), rules[scope] == nil else { return nil }
            let names = sides[1].split(separator: "+", omittingEmptySubsequences: false)
            let kinds = names.compactMap { ProofKind(rawValue: String($0)) }
            guard kinds.count == names.count else { return nil }
            rules[scope] = Set(kinds)
        }
    }

    private static func scope(_ text: String) -> Scope? {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard (1...2).contains(parts.count) else { return nil }
        let store = StoreID(rawValue: parts[0])
        guard store != nil || parts[0] == "*" else { return nil }
        guard parts.count == 2 else { return Scope(store: store, itemClass: nil) }
        return isClass(parts[1]) ? Scope(store: store, itemClass: parts[1]) : nil
    }

    /// Whether a text is the name of a class of items: 1 to 40 small letters, digits, - and _.
    static func isClass(_ text: String) -> Bool { text.wholeMatch(of: /[a-z0-9_-]{1,40}/) != nil }

    /// The proofs of every order of the store that does not state its own.
    func ofOrder(at store: StoreID) -> Set<ProofKind> {
        rules[Scope(store: store, itemClass: nil)] ?? rules[Scope(store: nil, itemClass: nil)] ?? []
    }

    /// The proofs of items of the class, which no order can leave out.
    func ofItem(class itemClass: String, at store: StoreID) -> Set<ProofKind> {
        let own = rules[Scope(store: store, itemClass: itemClass)] ?? []
        return own.union(rules[Scope(store: nil, itemClass: itemClass)] ?? [])
    }
}

extension HandoffVerification {
    /// The same check as a required proof; nil for none.
    var proof: ProofKind? {
        switch self {
        case .none: nil
        case .pin: .pin
        case .signature: .signature
        case .idAge: .age
        case .barcode: .barcode
        case .photo: .photo
        }
    }
}
