package import OrderDomain

extension Item {
    /// Pieces in the bag; a packed substitute counts as the quantity that it replaces.
    package var pickedQuantity: Int { status == .substituted ? quantity : foundQuantity }

    /// `substituted, not asked` for a packed substitute other than the one that the customer was asked about.
    package var stateText: String { status.text + (hasUnaskedSubstitute == true ? ", not asked" : "") }

    /// `3 × Oat milk` while it is offered or packed; nil otherwise.
    package var substituteText: String? {
        status.hasSubstitute ? substitute.map { "\($0.quantity) × \($0.name)" } : nil
    }
}
