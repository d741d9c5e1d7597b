internal import Foundation

extension Delivery {
    /// Applies a milestone of the present assignment; after the end none changes anything.
    mutating func reach(_ milestone: Milestone, at now: Date) {
        guard !status.isEnded else { return }
        switch (milestone, status) {
        case (.nearStore, .preparing(let store, .assigned)):
            enter(.preparing(store, .toStore), reason: nil, at: now)
        case (.leftStore, .handedOver(.pickedUp)):
            // Goods that the courier has yet to fetch may still be at the store.
            if fetchedFrom == nil { enter(.handedOver(.enRoute), reason: nil, at: now) }
        case (.arriving, .handedOver(.pickedUp)), (.arriving, .handedOver(.enRoute)):
            // Only for the courier's next stop, with the goods.
            if stopsBefore == 0, fetchedFrom == nil { enter(.handedOver(.arriving), reason: nil, at: now) }
        case (.atDoor, .handedOver(.pickedUp)), (.atDoor, .handedOver(.enRoute)), (.atDoor, .handedOver(.arriving)):
            if stopsBefore == 0, fetchedFrom == nil { enter(.handedOver(.atDoor), reason: nil, at: now) }
        case (.silent, _): if courier != nil { flags.insert(.courierSilent) }
        case (.reporting, _): flags.remove(.courierSilent)
        case (.late, _): flags.insert(.delayed)
        case (.onTime, _): flags.remove(.delayed)
        case (.nearStore, _), (.leftStore, _), (.arriving, _), (.atDoor, _), (.standing, _), (.moving, _): break
        }
    }
}
