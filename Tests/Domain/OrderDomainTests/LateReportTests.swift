import Foundation
import OrderDomain
import Testing

@Suite("Providers that expect to miss the promise")
struct LateReportTests {
    private func isDelayed(_ changes: DeliveryChange...) throws -> Bool {
        var delivery = placedDelivery()
        for (index, change) in changes.enumerated() {
            _ = try delivery.apply(change, at: minutes(200 + Double(index)))
        }
        return delivery.flags.contains(.delayed)
    }

    private func report(
        _ status: StatusCode?, at: Double, by courier: Courier? = nil, from source: String = "doordash",
        successor: String? = nil
    ) throws -> DeliveryChange {
        .report(
            ProviderReport(
                source: try #require(ProviderID(rawValue: source)), sourceName: source, id: "\(source)-\(at)",
                kind: status?.rawValue ?? "late", status: status, courier: courier, occurredAt: minutes(at),
                receivedAt: minutes(120), isLate: status == nil,
                successor: successor.flatMap(ProviderID.init(rawValue:))))
    }

    private func courier(_ id: String) -> Courier {
        Courier(id: courierID(id), name: "Sam", vehicle: .car, phone: nil)
    }

    @Test("A provider that has the delivery, and the shop's own system, delay it")
    func present() throws {
        let assigned = try report(.assigned, at: 2, by: courier("doordash-7"))
        #expect(try isDelayed(report(nil, at: 3)))
        #expect(try isDelayed(assigned, report(nil, at: 3)))
        #expect(try isDelayed(.courier(anna), report(nil, at: 3, from: "cloudevents")))
    }

    @Test("A provider whose part is over, or that another courier has replaced, does not delay it")
    func former() throws {
        let assigned = try report(.assigned, at: 2, by: courier("doordash-7"))
        let end = try report(.cancelled, at: 5, successor: "uber")
        #expect(try !isDelayed(assigned, end, report(nil, at: 4)))
        let next = try report(.assigned, at: 6, by: courier("uber-9"), from: "uber")
        #expect(try !isDelayed(assigned, end, next, report(nil, at: 7)))
        #expect(try !isDelayed(assigned, .courier(anna), report(nil, at: 7)))
        #expect(try isDelayed(assigned, end, next, report(nil, at: 7, from: "uber")))
    }

    @Test("A report about the promise of before it was moved does not delay it, and a later one does")
    func movedPromise() throws {
        var delivery = placedDelivery()
        #expect(try delivery.apply(.promise(promise(120, 150)), at: minutes(10)))
        _ = try delivery.apply(report(nil, at: 5), at: minutes(121))
        #expect(!delivery.flags.contains(.delayed))
        _ = try delivery.apply(report(nil, at: 15), at: minutes(122))
        #expect(delivery.flags.contains(.delayed))
    }
}
