import DoorstepAPI
import Foundation
import WireCoding

/// Deliveries in picking of customers without a phone, and where the page of each is.
struct LinkedDeliveries {
    /// Pieces of each item that are ordered; so many changes of one delivery can be told apart, less one.
    static let quantity = 999

    let ids: [String]
    /// Of each delivery's page, without the origin.
    let paths: [String]

    static func place(_ count: Int, on eventLoop: EventLoop) throws -> LinkedDeliveries {
        let perCustomer = Workload.deliveriesPerCustomer
        let placed = try Workload.place(
            customers: (count + perCustomer - 1) / perCustomer, quantity: quantity, on: eventLoop, now: Date())
        let ids = Array(placed.prefix(count))
        var paths = [String](repeating: "", count: count)
        for (index, id) in ids.enumerated() {
            try eventLoop.orders.send(Request(method: "POST", path: "/v1/deliveries/\(id)/view-link")) { answer in
                guard answer.status == 200 || answer.status == 201,
                    let link = try? WireJSON.decode(ViewLinkBody.self, from: Data(answer.body)),
                    let path = URLComponents(string: link.url)?.path
                else { return eventLoop.fail("making a link", answer) }
                paths[index] = path
            }
        }
        try eventLoop.run { eventLoop.orders.inFlight == 0 }
        return LinkedDeliveries(ids: ids, paths: paths)
    }
}
