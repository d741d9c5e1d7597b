/// One store's orders for one customer with many devices: placed, changed and cancelled, then placed again.
///
/// Refused requests are repeated, without the wait that the answer demands. The devices' streams are read.
struct OrderFlood: Sendable {
    static let store = "flood"
    static let customer = "flood"
    /// Streams that a customer may have open at a time.
    private static let streamsMax = 5
    private static let streamsFirstID = 10_000

    let ordersPort: Int
    let dispatchPort: Int
    let storeToken: String
    let customerToken: String
    let devices: Int
    /// Orders at once; one request of each is on its way at a time.
    let orders: Int
    let deliveriesPerOrder: Int
    let requestsPerSecond: Double

    static func device(_ index: Int) -> String { "flood-\(index)" }

    /// An order's requests that are still to be sent, of its place among the orders.
    private struct Place {
        var requests: [Request] = []
        var number = 0
    }

    func run(until stop: StopSignal, _ answers: StatusCounts) throws {
        let poller = try Poller()
        let requests = try RequestPool(
            port: ordersPort, tokens: Array(repeating: storeToken, count: orders), poller: poller, firstID: 0,
            isLossAnswered: true)
        let streams = DeviceStreams(port: dispatchPort, poller: poller, firstID: Self.streamsFirstID)
        for index in 0..<min(devices, Self.streamsMax) {
            try streams.open(Device(id: Self.device(index), token: customerToken))
        }
        var places = [Place](repeating: Place(), count: orders)
        var free = Array(places.indices)
        func send(_ place: Int) throws {
            let request = try places[place].requests.first ?? order(place, places[place].number)
            try requests.send(request) { answer in
                answers.add(answer.status)
                free.append(place)
                if places[place].requests.isEmpty {
                    if answer.status == 201 { places[place] = self.placed(answer, number: places[place].number + 1) }
                } else if ![0, 429, 503].contains(answer.status) {
                    places[place].requests.removeFirst()
                }
            }
        }
        var nextAt = now()
        while !stop.isRaised {
            while now() >= nextAt, !free.isEmpty {
                try send(free.removeFirst())
                nextAt += .seconds(1 / requestsPerSecond)
            }
            // Requests that could not be sent at their due time are dropped.
            nextAt = max(nextAt, now())
            for id in try poller.wait(until: now() + 2 * .millisecond) {
                if id >= Self.streamsFirstID {
                    _ = try streams.read(id - Self.streamsFirstID)
                } else {
                    try requests.read(id)
                }
            }
        }
    }

    private func order(_ place: Int, _ number: Int) throws -> Request {
        let body = try Workload.order(
            reference: "F-\(place)-\(number)", customer: Self.customer, store: Self.store,
            deliveries: deliveriesPerOrder)
        return .order(body, key: "flood-\(place)-\(number)")
    }

    private func placed(_ answer: Response, number: Int) -> Place {
        let deliveries = (try? answer.decoded(Workload.Placed.self, status: 201))?.deliveries.map(\.id) ?? []
        func moves(_ status: String) -> [Request] { deliveries.map { .move($0, to: status) } }
        let found = deliveries.map { Request.found(2, ofItem: 1, in: $0) }
        return Place(requests: moves("accepted") + moves("picking") + found + moves("cancelled"), number: number)
    }
}
