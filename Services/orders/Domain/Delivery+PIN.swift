import OrderDomain

extension Delivery {
    /// Whether a PIN of its customer is kept: while it is live and its hand-over requires one.
    var needsPIN: Bool { !status.isEnded && requiredProofs.contains(.pin) }

    /// Whether a PIN of its customer may be stored: an item that requires one may have left the bag, and may return.
    var mayHavePIN: Bool {
        guard !status.isEnded else { return false }
        return proof?.required.contains(.pin) == true || items.contains { $0.requires?.contains(.pin) == true }
    }
}
