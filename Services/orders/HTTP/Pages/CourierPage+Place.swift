import CardPresentation
import InterfaceTexts
import LiveActivity
import Messages
import OrderDomain

/// Where a stop is, and the lines about it.
extension CourierPage {
    /// The address, or the recipient where the order has none; the store for goods to be fetched or returned.
    func destination(of stop: CourierStop) -> String {
        let delivery = stop.delivery
        if isReturning(delivery) { return delivery.store.name }
        if goesToStore(delivery) { return "\(words.texts("courier.fetch_at")) \(delivery.store.name)" }
        guard let address = stop.record.dropOff?.address else {
            return stop.record.dropOff?.recipient?.name ?? delivery.reference
        }
        let city = [address.postalCode, address.city].compactMap(\.self).joined(separator: " ")
        return city.isEmpty ? address.street : "\(address.street), \(city)"
    }

    func isReturning(_ delivery: Delivery) -> Bool { delivery.status == .handedOver(.returning) }

    private func goesToStore(_ delivery: Delivery) -> Bool {
        if case .preparing = delivery.status { true } else { isReturning(delivery) }
    }

    /// The lines about a stop; one that goes back to the store has no instruction for the customer's door.
    func lines(of stop: CourierStop) -> [[String: Any]] {
        let (delivery, dropOff) = (stop.delivery, stop.record.dropOff)
        func line(_ label: String?, _ text: String?, isStrong: Bool = false) -> [String: Any]? {
            guard let text, !text.isEmpty else { return nil }
            var line: [String: Any] = ["text": text.withoutDirectionControls, "isStrong": isStrong]
            line["label"] = label
            return line
        }
        let address = dropOff?.address
        let isReturning = self.isReturning(delivery)
        let way = address.map { (isReturning ? "← " : "→ ") + $0.street }
        // The missing proofs are named below.
        let needsHandoff =
            !isReturning && ((delivery.proof?.required ?? []).isEmpty || delivery.handoff.method == .leaveAtDoor)
        // The pieces that the store left out are in no bag, and a substitute has a number of its own.
        let pieces = delivery.items.reduce(DeliverySnapshot(delivery, links: []).pieceCount) { count, item in
            guard item.status == .substituted, let substitute = item.substitute else { return count }
            return count - item.quantity + substitute.quantity
        }
        return [
            line(words.texts("courier.order"), delivery.reference, isStrong: goesToStore(delivery)),
            goesToStore(delivery) ? line(nil, way) : nil,
            line(nil, address == nil ? nil : dropOff?.recipient?.name),
            // A number without a digit cannot be called, but is still shown.
            line(nil, dropOff?.recipient?.phone.flatMap { PhoneLink($0) == nil ? $0 : nil }),
            line(words.texts("courier.floor"), isReturning ? nil : address?.floor, isStrong: true),
            line(words.texts("courier.door_code"), isReturning ? nil : address?.doorCode, isStrong: true),
            line(nil, needsHandoff ? words.handoff(delivery.handoff) : nil, isStrong: true),
            line(words.texts("courier.bag"), words.bag(delivery.bag, items: pieces)),
        ].compactMap(\.self)
    }

    /// Opens the phone's own maps: no other website learns the door before the courier asks for the route.
    func routeURL(of delivery: Delivery) -> String {
        let place = goesToStore(delivery) ? delivery.store.location : delivery.door
        let text = "\(place.latitude),\(place.longitude)"
        return isApple ? "maps:?daddr=\(text)" : "geo:\(text)?q=\(text)"
    }
}
