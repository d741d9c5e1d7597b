import DoorstepAPI
import Foundation

/// Deliveries in picking of customers without a phone, and where the page of each is.
struct LinkedDeliveries {
    /// The ordered quantity of each item; it bounds the distinguishable changes of one delivery, plus one.
    static let quantity = 999

    let ids: [String]
    /// The paths of the deliveries' pages, without the origin.
    let paths: [String]

    static func place(_ count: Int, on eventLoop: EventLoop) throws -> LinkedDeliveries {
        let ids = try Workload.place(count, quantity: quantity, on: eventLoop)
        var paths = [String](repeating: "", count: count)
        for (index, id) in ids.enumerated() {
            try eventLoop.orders.send(Request(method: "POST", path: "/v1/deliveries/\(id)/view-link")) { answer in
                guard let link = try? answer.decoded(ViewLinkBody.self, status: 201),
                    let path = URLComponents(string: link.url)?.path
                else { return eventLoop.fail("making a link", answer) }
                paths[index] = path
            }
        }
        try eventLoop.settle()
        return LinkedDeliveries(ids: ids, paths: paths)
    }
}
