import Foundation
import LiveActivity

/// Deliveries to look at in Xcode: one of each status, as the server would describe it.
enum PreviewDeliveries {
    static let attributes = step(.enRoute).attributes

    static func state(_ status: DeliverySnapshot.Status) -> GroceryDeliveryAttributes.ContentState {
        step(status).content
    }

    private static func step(_ status: DeliverySnapshot.Status) -> ActivityStep {
        let now = Int(Date.now.timeIntervalSince1970)
        let promise = Window(from: now - 900, to: now + 2700)
        return ActivityStep.after(
            DeliverySnapshot(
                activity: "preview-1", delivery: "preview", reference: "G-1042", store: "Nordhavn",
                timeZone: TimeZone.current.identifier, bag: .init(number: 1, count: 1), itemCount: 18, foundCount: 17,
                substitutedCount: 1, status: status, courierStatus: nil, flags: [],
                courier: Courier(name: "Mira", vehicle: "bicycle"), promise: promise, originalPromise: promise,
                isLeftAtDoor: false, proposal: nil, links: links(status), version: 7, statusSince: now - 60,
                endedAt: isEnd(status) ? now : nil, pickingSince: now - 1800),
            arrival: isEnd(status) ? nil : Window(from: now + 900, to: now + 1800), step: 1)
    }

    private static func isEnd(_ status: DeliverySnapshot.Status) -> Bool {
        [.delivered, .returned, .cancelled, .failed].contains(status)
    }

    private static func links(_ status: DeliverySnapshot.Status) -> [DeliverySnapshot.Link] {
        let verbs: [Verb] = isEnd(status) ? [.details] : [.details, .leaveAtDoor, .contactCourier]
        return verbs.map { .init(verb: $0, url: "https://go.nordhavn.example/l/\($0.rawValue)") }
    }
}
