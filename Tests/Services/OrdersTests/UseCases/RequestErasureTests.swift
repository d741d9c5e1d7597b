import Configuration
import DomainTime
import DoorstepAPI
import Foundation
import HTTPTypes
import HummingbirdTesting
import Messages
import NIOCore
import OrderDomain
import PostgresClient
import ProcessSettings
import ServiceRuntime
import Synchronization
import TestSupport
import Testing

@testable import Orders

@Suite("Requests to erase a customer", .tags(.integration), .postgresSchema, .timeLimit(.minutes(10)))
struct RequestErasureTests {
    private static func ended(
        _ reference: String, _ orders: OrdersUnderTest, _ client: any TestClientProtocol
    ) async throws -> DeliveryID {
        let order = try await orders.place(client, try orders.body(reference: reference))
        try await orders.set(.cancelled, order.deliveries[0].id, client)
        return order.deliveries[0].id
    }

    /// - Parameter store: the only store of the token; nil for an operator.
    private static func erase(
        endLive: Bool? = nil, by store: String? = nil, _ orders: OrdersUnderTest, _ client: any TestClientProtocol
    ) async throws -> TestResponse {
        let token = try await orders.token(store == nil ? .operator : .store, store ?? "ada", store: store)
        return try await orders.send(
            client, .post, "/v1/customers/mette/erase", token: token, ErasePersonBody(endLive: endLive))
    }

    private static func live(_ orders: OrdersUnderTest) async throws -> [String] {
        try await orders.pool.query("SELECT delivery_id FROM deliveries WHERE ended_at IS NULL")
            .map { try $0.decode("delivery_id", as: String.self) }
    }

    @Test("A repeat of a running request ends no order that was placed since")
    func repeatedWithEnds() async throws {
        try await OrdersUnderTest.run { orders, client in
            _ = try await Self.ended("G-1", orders, client)
            let first = try await Self.erase(endLive: true, orders, client).decode(PersonRequestBody.self)
            let since = try await orders.place(client, try orders.body(reference: "G-2")).deliveries[0].id
            let repeated = try await Self.erase(endLive: true, orders, client)
            #expect(try repeated.decode(PersonRequestBody.self).id == first.id)
            #expect(try await Self.live(orders) == [since.rawValue])
        }
    }

    /// A delivery whose customer is erased while a courier's press about it waits.
    ///
    /// - Parameter codes: what the store has reported before the press.
    private static func erased(
        after codes: [StatusCode], pressed action: CourierAction, _ orders: OrdersUnderTest,
        _ client: any TestClientProtocol
    ) async throws -> (delivery: Delivery, press: CourierPress.State?) {
        let id = try await orders.place(client, try orders.body(reference: "G-1")).deliveries[0].id
        try await orders.set([.accepted, .picking, .staged], id, client)
        try await orders.assign("mira", id, client)
        try await orders.set(codes, id, client)
        let press = PressStop.Request(id: UUID(), delivery: id, action: action)
        let mira = try #require(CourierID(rawValue: "mira"))
        let pressStop = PressStop(change: orders.change)
        let waiting = try await pressStop(press, by: mira)
        #expect(waiting.state == .waiting)
        #expect(try await Self.erase(endLive: true, orders, client).status == .accepted)
        let delivery = try #require(try await OrderRepository.delivery(id, on: orders.pool)).delivery
        return (delivery, try await CourierPressRepository.press(press.id, on: orders.pool)?.state)
    }

    @Test("A hand-over that was pressed seconds before its customer is erased counts, and the delivery is delivered")
    func pressedHandOver() async throws {
        try await OrdersUnderTest.run { orders, client in
            let after = try await Self.erased(
                after: [.pickedUp, .enRoute, .atDoor], pressed: .handedOver, orders, client)
            #expect(after.press == .done)
            #expect(after.delivery.status == .handedOver(.delivered) && after.delivery.endedAt != nil)
        }
    }

    @Test("A pickup that was pressed seconds before its customer is erased counts, and the delivery fails")
    func pressedPickup() async throws {
        try await OrdersUnderTest.run { orders, client in
            let after = try await Self.erased(after: [], pressed: .pickedUp, orders, client)
            #expect(after.press == .done)
            #expect(after.delivery.status == .handedOver(.failed) && after.delivery.pickedUpAt != nil)
        }
    }

    @Test("A store that repeats its finished request gets it, and another store learns of none")
    func repeatedByStore() async throws {
        try await OrdersUnderTest.run { orders, client in
            _ = try await Self.ended("G-1", orders, client)
            let first = try await Self.erase(by: "nordhavn", orders, client).decode(PersonRequestBody.self)
            #expect(try await Self.erase(by: "valby", orders, client).status == .notFound)
            #expect(try await Self.erase(endLive: true, by: "valby", orders, client).status == .notFound)
            _ = try await orders.continueErasures(asking: ErasingServicesByTest().client)()
            orders.clock.advance(by: 7_200)
            for endLive in [false, true] {
                let repeated = try await Self.erase(endLive: endLive, by: "nordhavn", orders, client)
                #expect(repeated.status == .accepted)
                #expect(try repeated.decode(PersonRequestBody.self).id == first.id)
            }
            #expect(try await Self.erase(by: "valby", orders, client).status == .notFound)
            // For the whole shop a device may be known again.
            #expect(try await Self.erase(orders, client).decode(PersonRequestBody.self).id != first.id)
        }
    }

    /// Whether a request was answered, which then waits for no lock.
    private final class Answered: Sendable {
        let isSet = Mutex(false)
    }

    /// Another request's change of a live delivery.
    static let endAndErase: SQL =
        "status = 'cancelled', courier_status = NULL, ended_at = now(), erased_at = now()"

    /// The answer to a request that waits for the transaction of a change of its deliveries.
    ///
    /// - Parameter assignments: what the change sets.
    static func answer(
        beside assignments: SQL, _ orders: OrdersUnderTest,
        to request: @escaping @Sendable () async throws -> TestResponse
    ) async throws -> TestResponse {
        let answered = Answered()
        return try await orders.pool.withTransaction { transaction in
            try await transaction.execute("UPDATE deliveries SET \(sql: assignments)")
            let requesting = Task {
                defer { answered.isSet.withLock { $0 = true } }
                return try await request()
            }
            let waiting: SQL = """
                SELECT 1 FROM pg_locks WHERE NOT granted AND transactionid = pg_current_xact_id()::xid
                """
            while !answered.isSet.withLock(\.self), try await transaction.query(waiting).isEmpty {
                await Task.yield()
            }
            let hasWaited = !answered.isSet.withLock(\.self)
            #expect(hasWaited)
            return requesting
        }.value
    }

    @Test("A delivery that another request ends and erases meanwhile is no fault of this one")
    func erasedMeanwhile() async throws {
        try await OrdersUnderTest.run { orders, client in
            _ = try await orders.place(client, try orders.body(reference: "G-1"))
            let accepted = try await Self.answer(beside: Self.endAndErase, orders) {
                try await Self.erase(endLive: true, orders, client)
            }
            #expect(accepted.status == .accepted, "\(String(buffer: accepted.body))")
        }
    }

    @Test("A delivery that is being reopened is waited for, and refuses the request then")
    func reopening() async throws {
        try await OrdersUnderTest.run { orders, client in
            _ = try await Self.ended("G-1", orders, client)
            let refused = try await Self.answer(beside: "status = 'en_route', ended_at = NULL", orders) {
                try await Self.erase(orders, client)
            }
            #expect(refused.status == .conflict)
            #expect(try refused.problem().type == "https://doorstep.dev/problems/live-deliveries")
            let requests = try await orders.pool.query("SELECT FROM person_requests")
            #expect(requests.isEmpty)
        }
    }

    @Test("Cards have two minutes to end once the service that ends them has answered, however late that is")
    func cards() async throws {
        try await OrdersUnderTest.run { orders, client in
            _ = try await Self.ended("G-1", orders, client)
            _ = try await Self.erase(orders, client)
            let services = ErasingServicesByTest()
            let erasures = orders.continueErasures(asking: services.client)
            func go(after seconds: TimeInterval) async throws {
                orders.clock.advance(by: seconds)
                try await orders.pool.execute("UPDATE person_requests SET leased_until = now() - interval '1 s'")
                _ = try await erasures()
            }
            services.answer { _, _ in throw ErasingServicesByTest.Away() }
            try await go(after: 0)
            services.answer { service, request in
                ErasureReceipt(isWaiting: service == .activityDispatch && request.mayWait)
            }
            try await go(after: 600)
            try await go(after: 100)
            try await go(after: 21)
            #expect(services[.activityDispatch].map(\.mayWait) == [true, true, true, false])
            let done = try await orders.pool.query("SELECT FROM person_requests WHERE finished_at IS NOT NULL")
            #expect(done.count == 1)
        }
    }

    @Test("An order that was placed since keeps the customer's devices")
    func placedSince() async throws {
        try await OrdersUnderTest.run { orders, client in
            _ = try await Self.ended("G-1", orders, client)
            _ = try await Self.erase(orders, client)
            let since = try await orders.place(client, try orders.body(reference: "G-2")).deliveries[0].id
            let services = ErasingServicesByTest()
            _ = try await orders.continueErasures(asking: services.client)()
            #expect(services[.activityDispatch].map(\.keepsCustomer) == [true])
            try await orders.set(.cancelled, since, client)
            _ = try await Self.erase(orders, client)
            _ = try await orders.continueErasures(asking: services.client)()
            #expect(services[.activityDispatch].map(\.keepsCustomer) == [true, false])
        }
    }

    @Test("The certificate has the time of each service, as its receipt names it, and the default where it names none")
    func expiries() async throws {
        try await OrdersUnderTest.run { orders, client in
            _ = try await Self.ended("G-1", orders, client)
            let accepted = try await Self.erase(orders, client).decode(PersonRequestBody.self)
            let services = ErasingServicesByTest()
            services.answer { service, _ in
                var receipt = ErasureReceipt()
                if service == .courierETA { receipt.keptDays = 21 }
                return receipt
            }
            _ = try await orders.continueErasures(asking: services.client)()
            let done: PersonRequestBody = try await orders.send(
                client, .get, "/v1/person-requests/\(accepted.id)", as: .operator, "ada"
            ).decode()
            let (end, expiries) = (try #require(done.finishedAt), try #require(done.expiries))
            func days(_ service: String) throws -> Double {
                let until = try #require(expiries.first { $0.what.hasPrefix("\(service):") }?.until)
                return until.timeIntervalSince(end) / 86_400
            }
            #expect(try days("courier-eta") == 21)
            #expect(try days("activity-dispatch") == 14 && days("partners") == 30 && days("orders") == 90)
        }
    }

    @Test("A key of another length than 32 bytes is refused, in the words that hold for those of PINs")
    func shortKey() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "erasure-keys-\(UUID().uuidString)")
        try "1:\(String(repeating: "5c", count: 31))".write(to: file, atomically: true, encoding: .utf8)
        // Nothing else is left to do where it is gone.
        defer { try? FileManager.default.removeItem(at: file) }
        let path = ConfigValue(.string(file.path), isSecret: false)
        let settings = ConfigReader(
            provider: InMemoryProvider(values: ["erasures.key.file": path, "pins.keys.file": path]))
        let refused = try #require(throws: ConfigurationError.self) { try Orders.erasureHash(reading: settings) }
        let ofPINs = try #require(throws: ConfigurationError.self) { try Orders.proofKeys(reading: settings) }
        #expect(refused.key == "erasures.key.file" && refused.problem == ofPINs.problem)
    }
}
