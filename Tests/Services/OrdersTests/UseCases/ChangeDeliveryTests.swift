import DomainTime
import DoorstepAPI
import Foundation
import HTTPTypes
import HummingbirdTesting
import Messages
import NIOCore
import OrderDomain
import PostgresClient
import ReliableMessaging
import ServiceRuntime
import TestSupport
import Testing
import WireCoding

@testable import Orders

@Suite("Changing a delivery", .tags(.integration), .postgresSchema, .timeLimit(.minutes(10)))
struct ChangeDeliveryTests {
    @Test("An impossible transition is refused with 422 and the allowed ones, and changes nothing")
    func impossible() async throws {
        try await OrdersUnderTest.runPlaced { orders, client, id in
            let queued = try await orders.outbox().count
            let response = try await orders.send(
                client, .post, "/v1/deliveries/\(id)/status", as: .store, "nordhavn",
                StatusBody(status: .delivered))
            #expect(response.status == .unprocessableContent)
            #expect(try response.problem().allowed == ["accepted", "cancelled"])
            #expect(try await orders.outbox().count == queued)
        }
    }

    @Test("Each allowed status of a delivery can be set: placed without a courier, with one, and picked up")
    func allowed() async throws {
        try await OrdersUnderTest.runPlaced { orders, client, id in
            let path = "/v1/deliveries/\(id)"
            func checkAllowed() async throws -> Set<StatusCode> {
                let read: DeliveryBody = try await orders.send(client, .get, path, as: .store, "nordhavn").decode()
                for code in read.allowed {
                    let preview = try await orders.send(
                        client, .post, "\(path)/status?preview=true", as: .store, "nordhavn", StatusBody(status: code))
                    #expect(preview.status == .ok, "\(read.status) to \(code): \(String(buffer: preview.body))")
                }
                return Set(read.allowed)
            }
            #expect(try await checkAllowed() == [.accepted, .cancelled])
            try await orders.assign("mira", id, client)
            #expect(try await checkAllowed() == [.accepted, .unassigned, .toStore, .atStore, .cancelled])
            try await orders.set([.accepted, .picking, .pickedUp], id, client)
            #expect(
                try await checkAllowed() == [.enRoute, .arriving, .atDoor, .delivered, .returning, .failed])
        }
    }

    @Test("The allowed statuses are those that the reader may set: a courier's own, and none for who only reads")
    func allowedToReader() async throws {
        try await OrdersUnderTest.runPlaced { orders, client, id in
            try await orders.assign("mira", id, client)
            func allowed(_ role: Role, _ subject: String, scope: String? = nil) async throws -> Set<StatusCode> {
                let token = try await orders.token(role, subject, scope: scope)
                let answer = try await orders.send(client, .get, "/v1/deliveries/\(id)", token: token)
                return Set(try answer.decode(DeliveryBody.self).allowed)
            }
            #expect(try await allowed(.courier, "mira") == [.toStore, .atStore])
            #expect(try await allowed(.customer, "mette").isEmpty)
            #expect(try await allowed(.operator, "ada", scope: "viewer").isEmpty)
            #expect(try await allowed(.operator, "ada", scope: "dispatcher").contains(.accepted))
        }
    }

    @Test("An operator who names no version is refused with 428, one who names a stale one with 412")
    func versions() async throws {
        try await OrdersUnderTest.runPlaced { orders, client, id in
            let path = "/v1/deliveries/\(id)/status"
            let accepted = StatusBody(status: .accepted)
            let blind = try await orders.send(client, .post, path, as: .operator, "ada", accepted)
            #expect(blind.status == .preconditionRequired)
            #expect(try blind.problem().type.hasSuffix("/if-match-missing"))
            let good = try await orders.send(
                client, .post, path, as: .operator, "ada", accepted, ["If-Match": "\"v1\""])
            #expect(good.status == .ok && good.headers[.eTag] == "\"v2\"")
            let stale = try await orders.send(
                client, .post, path, as: .operator, "bo", StatusBody(status: .picking), ["If-Match": "\"v1\""])
            #expect(stale.status == .preconditionFailed)
        }
    }

    @Test("A delivery that is not the caller's is not found, and a courier sets only a courier's statuses")
    func access() async throws {
        try await OrdersUnderTest.runPlaced { orders, client, id in
            let path = "/v1/deliveries/\(id)"
            #expect(try await orders.send(client, .get, path, as: .customer, "mette").status == .ok)
            #expect(try await orders.send(client, .get, path, as: .customer, "niels").status == .notFound)
            #expect(try await orders.send(client, .get, path, as: .courier, "mira").status == .notFound)
            try await orders.assign("mira", id, client)
            #expect(try await orders.send(client, .get, path, as: .courier, "mira").status == .ok)
            let cancel = try await orders.send(
                client, .post, "\(path)/status", as: .courier, "mira", StatusBody(status: .cancelled))
            #expect(cancel.status == .forbidden)
            let arrived = try await orders.send(
                client, .post, "\(path)/status", as: .courier, "mira", StatusBody(status: .atStore))
            #expect(arrived.status == .ok)
        }
    }

    @Test(
        "While courier-eta writes the activity, the intent waits for a timer; while orders does, it is enqueued at once"
    )
    func activityWriter() async throws {
        try await OrdersUnderTest.runPlaced { orders, client, id in
            try await orders.assign("mira", id, client)
            try await orders.set([.accepted, .picking], id, client)
            try await orders.pool.execute("DELETE FROM outbox")
            try await orders.set(.pickedUp, id, client)
            #expect(try await orders.outbox().map(\.subject) == [Subject.deliveriesChanged])
            #expect(try await orders.timers().contains(DeliveryTimers.lateIntent))
            try await orders.pool.execute("DELETE FROM outbox")
            try await orders.set(.returning, id, client)
            #expect(try await orders.intents().map(\.delivery) == [id])
        }
    }

    @Test("courier-eta is sent a delivery's placing, what has or has had a courier, and the end")
    func sentToCourierETA() async throws {
        try await OrdersUnderTest.run { orders, client in
            let placed = try await orders.place(client, try orders.body(bags: 2)).deliveries
            let (delivery, other) = (placed[0].id, placed[1].id)
            func isSent(_ delivery: DeliveryID) async throws -> [Bool] {
                let subjects = try await orders.snapshots(of: delivery).map(\.subject)
                try await orders.pool.execute("DELETE FROM outbox")
                return subjects.map { $0 == Subject.deliveriesChanged }
            }
            #expect(try await isSent(delivery) == [true])
            try await orders.set([.accepted, .picking], delivery, client)
            #expect(try await isSent(delivery) == [false, false])
            try await orders.assign("mira", delivery, client)
            _ = try await orders.change(delivery, .courier(nil), by: Principal(.store("nordhavn")))
            try await orders.set(.staged, delivery, client)
            #expect(try await isSent(delivery) == [true, true, true])
            _ = try await orders.change(
                other, .status(.cancelled, reason: "closed", notice: CustomerNotice()),
                by: Principal(.store("nordhavn")))
            #expect(try await isSent(other) == [true])
        }
    }

    @Test("A change that is refused neither fails nor delays those that share its transaction")
    func refusedAmongOthers() async throws {
        try await OrdersUnderTest.run { orders, client in
            let placed = try await orders.place(client, try orders.body(bags: 8)).deliveries.map(\.id)
            let nobodys = DeliveryID(UUID())
            let results = await withTaskGroup { group in
                for (index, id) in (placed + [nobodys]).enumerated() {
                    group.addTask {
                        let change: DeliveryChange =
                            index.isMultiple(of: 2)
                            ? .status(.accepted, reason: nil, notice: CustomerNotice())
                            : .status(.delivered, reason: nil, notice: CustomerNotice())
                        do {
                            let outcome = try await orders.change(id, change, by: Principal(.store("nordhavn")))
                            return (id, outcome.record.delivery.version == 2)
                        } catch {
                            #expect(error is ChangeRefusal || error as? ChangeDelivery.Refusal == .notFound(nobodys))
                            return (id, false)
                        }
                    }
                }
                return await group.reduce(into: [DeliveryID: Bool]()) { $0[$1.0] = $1.1 }
            }
            for (index, id) in placed.enumerated() {
                let stored = try await OrderRepository.delivery(id, on: orders.pool)
                #expect(results[id] == index.isMultiple(of: 2))
                #expect(stored?.delivery.version == (index.isMultiple(of: 2) ? 2 : 1))
                let timeline = try await OrderRepository.timeline(id, on: orders.pool)
                #expect(timeline.count == stored?.delivery.version)
            }
        }
    }

    @Test("Twenty concurrent changes are twenty versions, each published once")
    func concurrent() async throws {
        try await OrdersUnderTest.runPlaced { orders, client, id in
            try await orders.assign("mira", id, client)
            let before = try #require(try await OrderRepository.delivery(id, on: orders.pool)).delivery.version
            try await withThrowingTaskGroup { group in
                for stops in 1...20 {
                    group.addTask {
                        _ = try await orders.change(
                            id, .stopsBefore(stops), by: Principal(.store("nordhavn")))
                    }
                }
                try await group.waitForAll()
            }
            let after = try #require(try await OrderRepository.delivery(id, on: orders.pool)).delivery.version
            #expect(after == before + 20)
            let versions = try await orders.snapshots(of: id).map(\.message.delivery.version)
            #expect(versions.sorted() == Array(1...after))
        }
    }

    @Test("The reasons of an operator who assigned, held and released are in the delivery's timeline")
    func audited() async throws {
        try await OrdersUnderTest.runPlaced { orders, client, id in
            let path = "/v1/deliveries/\(id)"
            let mira = try #require(CourierID(rawValue: "mira"))
            let assign = AssignBody(courier: .known(mira), reason: "nearest")
            let unknown = "\(path)/courier?unknown=true"
            #expect(try await orders.send(client, .put, unknown, as: .operator, "ada", assign).status == .ok)
            let hold = HoldBody(reason: "road closed")
            #expect(try await orders.send(client, .put, "\(path)/hold", as: .operator, "ada", hold).status == .ok)
            let release = HoldBody(reason: "road open")
            #expect(try await orders.send(client, .delete, "\(path)/hold", as: .operator, "ada", release).status == .ok)
            let timeline = try await OrderRepository.timeline(id, on: orders.pool)
            #expect(timeline.map(\.reason) == [nil, "nearest", "road closed", "road open"])
            #expect(timeline.dropFirst().allSatisfy { $0.by == "operator ada" })
        }
    }
}
