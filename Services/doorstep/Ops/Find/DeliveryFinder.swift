import ArgumentParser
import CommandOutput
import DeliveryDiagnosis
import DomainTime
import DoorstepAPI
import Foundation
import OrderDomain
import StackClient

/// Finds the one delivery that a text means: by its order's reference, its customer, a device, its courier, or the
/// beginning of an id.
struct DeliveryFinder: Sendable {
    /// The help of a command's argument that names a delivery.
    static let help: ArgumentHelp =
        "An order's reference, a customer, a recipient, a phone number, a device, a courier's name, or the beginning of an id."

    /// The help of an argument of a shop's command, whose token finds its own orders alone.
    static let shopHelp: ArgumentHelp = "The order's reference, or the delivery's id, or the beginning of one."

    /// Results of a search that are read at most.
    private static let rowsMax = 1_000

    private let orders: PeerClient
    private let dispatch: PeerClient
    private let clock: DomainClock

    /// - Parameter holder: the holder of the token; a store's finds the store's own deliveries, and none by a device.
    init(as holder: TokenHolder = .operator) async throws {
        orders = try PeerClient(.orders, as: holder)
        dispatch = try PeerClient(.activityDispatch, as: holder)
        clock = try await Stack().clock()
    }

    init(orders: PeerClient, dispatch: PeerClient, clock: DomainClock) {
        self.orders = orders
        self.dispatch = dispatch
        self.clock = clock
    }

    /// The delivery's id.
    ///
    /// A whole id needs no request, so that it works while no service answers.
    /// - Throws: `CommandFailure` of kind usage with a table for an ambiguous text, of kind not found for an unknown
    ///   one.
    func find(_ text: String) async throws -> DeliveryID { try await find(text, wholeOrders: false)[0] }

    /// - Parameter wholeOrders: whether an order's reference means all its live bags where these have one promise.
    /// - Returns: one delivery, or the bags in their order.
    private func find(_ text: String, wholeOrders: Bool) async throws -> [DeliveryID] {
        if let id = DeliveryID(rawValue: text) { return [id] }
        guard text.contains(where: { !$0.isWhitespace }) else {
            throw CommandFailure(.usage, "an empty text names no delivery; is a variable of the script not set?")
        }
        let now = clock.now
        var searched = text
        var found = try await search(text)
        var note = ""
        if found.rows.isEmpty {
            switch try await customer(ofDevice: text) {
            case .body(let customer?):
                searched = customer
                found = try await search(customer)
                found.rows.removeAll { $0.customer?.rawValue != customer }
                note = "; it is a device of \(customer), who has no delivery"
            case .body(nil), .notFound: break
            case .unavailable: note = "; devices are not searched, since activity-dispatch does not answer"
            }
        }
        switch DeliveryChoice(found.rows, for: searched, now: now) {
        // What is not read may be meant as well.
        case .one where found.hasMore, .none where found.hasMore:
            throw CommandFailure(
                .usage, "\"\(text.safeOnTerminal)\" is more than \(Self.rowsMax) deliveries; name one by its ID")
        case .one(let row): return [row.id]
        case .several(let rows) where wholeOrders && !found.hasMore && rows.areBags(of: searched):
            return rows.sorted { $0.bag.number < $1.bag.number }.map(\.id)
        case .several(let rows):
            throw CommandFailure(
                .usage, FoundDeliveries(rows, hasMore: found.hasMore, for: text, now: now).text)
        case .none:
            throw CommandFailure(
                .notFound,
                """
                nothing is found by "\(text.safeOnTerminal)"\(note). Searched are references, customers, couriers, recipients, \
                phone numbers, streets and the beginnings of ids of what is live or ended within two days, whole \
                references and customers of any age, and devices
                """)
        }
    }

    /// A delivery, with the text by which a command named it and its place there.
    struct Named: CustomStringConvertible, Sendable {
        let place: Int
        let text: String
        let id: DeliveryID

        var description: String { text.safeOnTerminal }
    }

    /// The deliveries that several texts mean, in their order.
    ///
    /// - Parameter wholeOrders: whether an order's reference means all its live bags where these have one promise.
    /// - Throws: where one is not found or may be several, after each such text was printed with why; nothing is to be
    ///   done to any of them then.
    func findAll(_ texts: [String], wholeOrders: Bool = false) async throws -> [Named] {
        var found: [Named] = []
        do {
            try await forEachReportingFailures(Array(texts.indices).map { Place(index: $0, text: texts[$0]) }) {
                place in
                found += try await find(place.text, wholeOrders: wholeOrders)
                    .map { Named(place: place.index, text: place.text, id: $0) }
            }
        } catch let failure as CommandFailure where texts.count > 1 {
            throw CommandFailure(failure.kind, "nothing was done, since not all of them could be found")
        }
        return found
    }

    private struct Place: CustomStringConvertible, Sendable {
        let index: Int
        let text: String

        var description: String { text.safeOnTerminal }
    }

    /// The results of a search, worst first, as far as they are read.
    private struct Found {
        var rows: [BoardBody.Row] = []
        /// Whether others that are not read may be meant.
        var hasMore = false
    }

    private func search(_ text: String) async throws -> Found {
        var found = Found()
        var cursor: String?
        for _ in 0..<(Self.rowsMax / BoardQuery.pageMax) {
            let page = try await orders.get(
                "/v1/deliveries", query: [("search", text), ("cursor", cursor)], as: BoardBody.self)
            // A row that becomes less urgent between two pages is on both.
            let known = Set(found.rows.map(\.id))
            found.rows += page.deliveries.filter { !known.contains($0.id) }
            cursor = page.next
            found.hasMore = cursor != nil && !found.rows.namesAllLive(text)
            guard found.hasMore else { break }
        }
        return found
    }

    /// The customer signed in on the device with this id, or else with this beginning of an id.
    ///
    /// - Throws: `CommandFailure` of kind usage where the devices belong to several customers.
    private func customer(ofDevice text: String) async throws -> PeerAnswer<String?> {
        guard isIdentifier(text) else { return .notFound }
        let answer = try await PeerAnswer.request {
            try await dispatch.get("/v1/devices", query: [("search", text)], as: DevicesBody.self).devices
        }
        switch answer {
        case .notFound: return .notFound
        case .unavailable(let reason): return .unavailable(reason: reason)
        case .body(let devices):
            let named = devices.filter { $0.id == text }
            let meant = named.isEmpty ? devices : named
            guard Set(meant.map(\.customer)).count <= 1 else {
                let names = meant.map { "\($0.id) (\($0.customer))" }.joined(separator: ", ")
                throw CommandFailure(.usage, "\"\(text)\" is several devices: \(names)".safeOnTerminal)
            }
            return .body(meant.first?.customer)
        }
    }
}
