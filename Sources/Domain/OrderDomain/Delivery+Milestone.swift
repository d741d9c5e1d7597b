internal import Foundation

extension Delivery {
    /// Whether its door is the next stop of a courier who has the goods and did not leave the stop for a reported problem.
    public var isNextStop: Bool { stopsBefore == 0 && fetchedFrom == nil && !isLeftUndone }

    /// Applies a milestone of the present assignment; after the end none changes anything.
    mutating func reach(_ milestone: Milestone, at now: Date) {
        guard !status.isEnded else { return }
        switch (milestone, status) {
        case (.nearStore, .preparing(let store, .assigned)):
            enter(.preparing(store, .toStore), reason: nil, at: now)
        case (.leftStore, .handedOver(.pickedUp)):
            // Goods that the courier has yet to fetch may still be at the store; goods with a problem go no further.
            if fetchedFrom == nil, !isLeftUndone { enter(.handedOver(.enRoute), reason: nil, at: now) }
        case (.arriving, .handedOver(.pickedUp)), (.arriving, .handedOver(.enRoute)):
            // Only for the courier's next stop, with the goods.
            if isNextStop { enter(.handedOver(.arriving), reason: nil, at: now) }
        case (.atDoor, .handedOver(.pickedUp)), (.atDoor, .handedOver(.enRoute)), (.atDoor, .handedOver(.arriving)):
            if isNextStop { enter(.handedOver(.atDoor), reason: nil, at: now) }
        case (.silent, _): if courier != nil { flags.insert(.courierSilent) }
        case (.reporting, _): flags.remove(.courierSilent)
        // Goods whose hand-over is reported, and has yet to be confirmed, are no longer late.
        case (.late, _): if reportedHandOverAt == nil { flags.insert(.delayed) }
        // One that is measured before the end may arrive after it.
        case (.onTime, _): if now < promise.end { flags.remove(.delayed) }
        case (.nearStore, _), (.leftStore, _), (.arriving, _), (.atDoor, _), (.standing, _), (.moving, _): break
        }
    }
}
