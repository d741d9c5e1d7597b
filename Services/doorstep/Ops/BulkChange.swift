import ArgumentParser
import CommandOutput
import DeliveryDiagnosis
import DoorstepAPI
import NIOHTTP1
import OrderDomain
import StackClient

/// One change of one or many deliveries, each against the version that was just read.
///
/// Where a delivery is unknown or ambiguous, the command changes none. A dry run prints the plan that `orders`
/// accepts, and changes nothing. After a refused change the others are still made; the exit code is that of the first
/// failure.
struct BulkChange: ParsableArguments {
    @Argument(help: DeliveryFinder.help)
    var deliveries: [String] = []
    @ArgumentParser.Flag(help: "Only print the planned changes.")
    var dryRun = false

    /// - Parameters:
    ///   - what: the change in words: `set to staged`.
    ///   - path: after `/v1/deliveries/{id}`.
    func make(_ what: String, _ method: HTTPMethod, _ path: String, body: some Encodable & Sendable) async throws {
        try await make(method, path) { _, _ in (what, body) }
    }

    /// - Parameters:
    ///   - query: of each request.
    ///   - wholeOrders: whether an order's reference means all its live bags where these have one promise.
    ///   - change: in words and as a body, from the delivery's index in the command and its present state.
    func make<Body: Encodable & Sendable>(
        _ method: HTTPMethod, _ path: String, query: [(name: String, value: String?)] = [],
        ofWholeOrders wholeOrders: Bool = false, change: (Int, DeliveryBody) async throws -> (what: String, body: Body)
    ) async throws {
        try await makeAll(ofWholeOrders: wholeOrders) { index, delivery in
            let (what, body) = try await change(index, delivery)
            return [DeliveryRequest(what: what, method: method, path: path, query: query, body: body)]
        }
    }

    /// Changes each delivery by several requests: all of them, or none where `orders` would refuse one.
    ///
    /// - Parameters:
    ///   - wholeOrders: whether an order's reference means all its live bags where these have one promise.
    ///   - requests: from the delivery's index in the command and its present state.
    func makeAll(
        ofWholeOrders wholeOrders: Bool, requests: (Int, DeliveryBody) async throws -> [DeliveryRequest]
    ) async throws {
        guard !deliveries.isEmpty else { throw CommandFailure(.usage, "name at least one delivery") }
        let client = try PeerClient(.orders, as: .operator)
        let finder = try await DeliveryFinder()
        try await forEachReportingFailures(try await finder.findAll(deliveries, wholeOrders: wholeOrders)) { named in
            let delivery = named.id
            let read = try await client.send(
                .GET, "/v1/deliveries/\(delivery)", body: NoBody?.none, as: DeliveryBody.self)
            let planned = try await requests(named.place, read.body)
            let bag = read.body.bag.count > 1 ? " \(read.body.bag.number)/\(read.body.bag.count)" : ""
            let name = "\(read.body.reference)\(bag) (\(delivery))".safeOnTerminal
            if dryRun || planned.count > 1 { try await client.check(planned, of: read.body) }
            if dryRun {
                for request in planned {
                    writeLine(
                        "would be \(request.what): \(name), now \(read.body.status.text), version \(read.body.version)")
                }
                return
            }
            try await client.make(
                planned, of: read.body, named: name, shownBy: "doorstep ops show \(read.body.id)",
                entityTag: read.entityTag)
        }
    }
}

extension BulkChange {
    /// The named deliveries as they are now, in the order of the command.
    func read() async throws -> [DeliveryBody] {
        let client = try PeerClient(.orders, as: .operator)
        var bodies: [DeliveryBody] = []
        for named in try await DeliveryFinder().findAll(deliveries) {
            bodies.append(try await client.get("/v1/deliveries/\(named.id)"))
        }
        return bodies
    }
}

/// Why an operator overrides; it stays in the delivery's timeline.
struct Reason: ParsableArguments {
    @Option(help: "The reason; it is stored in the delivery's timeline with your name.")
    var reason: String
}
