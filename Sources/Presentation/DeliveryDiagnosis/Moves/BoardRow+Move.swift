internal import DoorstepAPI

extension [BoardBody.Row] {
    /// The live deliveries of a courier that stay where all of the courier's are given to another, since the customer
    /// has the goods by the courier's word.
    ///
    /// `1 is handed over, to be confirmed, and stays with Ali: G-1042`; nil without one.
    package func stayingText(with courier: String) -> String? {
        let staying = filter { $0.handedOverAt != nil }
        guard !staying.isEmpty else { return nil }
        let (verb, remains) = staying.count == 1 ? ("is", "stays") : ("are", "stay")
        let orders = staying.map(\.orderText).joined(separator: ", ")
        return "\(staying.count) \(verb) handed over, to be confirmed, and \(remains) with \(courier): \(orders)"
    }
}
