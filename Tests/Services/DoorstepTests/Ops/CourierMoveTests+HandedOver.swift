import DeliverySamples
import DoorstepAPI
import Foundation
import NIOHTTP1
import OrderDomain
import ScriptedPeers
import Synchronization
import TestSupport
import Testing

@testable import Doorstep

extension CourierMoveTests {
    @Test(
        "Goods that the customer has by the courier's word stay where all of a courier's are given away, and are named",
        .timeLimit(.minutes(5)), arguments: [true, false])
    func handedOver(hasOthers: Bool) async throws {
        let live = SampleDeliveries.whole(SampleDeliveries.toEnRoute)
        let byWord = SampleDeliveries.whole(
            number: 2, SampleDeliveries.toEnRoute + [.handedOverUnconfirmed],
            proof: DeliveryProof(required: [ProofKind.photo]))
        let rows = (hasOthers ? [live, byWord] : [byWord]).map {
            BoardBody.Row($0, risk: .onTime, estimate: nil, cards: nil, for: Principal(.operator("ada")))
        }
        let board = try json(
            BoardBody(
                counts: .init(
                    live: rows.count, late: 0, atRisk: 0, silent: 0, unassigned: 0, waitingForCustomer: 0),
                deliveries: rows, next: nil))
        let known = try ["eva", "mira"].map { id in
            CouriersBody.Row(
                courier: try courier(id), name: id.capitalized, phones: 1, lastSeenAt: nil, onDuty: true, deliveries: 2)
        }
        let couriers = try json(CouriersBody(couriers: known, next: nil))
        let delivery = try json(body(SampleDeliveries.toEnRoute, number: 1))
        let changed = Mutex<[String]>([])
        let server = try await ScriptedHTTPServer.start { request in
            let path = String(request.head.uri.prefix { $0 != "?" })
            if request.head.method == .PUT { changed.withLock { $0.append(path) } }
            // No order of stops is proposed, as to an operator of one store.
            if path.hasSuffix("/trip") { return .answer(404, body: "{}") }
            if path == "/v1/couriers" { return .answer(200, body: couriers) }
            return .answer(200, body: path == "/v1/deliveries" ? board : delivery)
        }
        let (exit, output) = try await assign(["--from", "mira", "--courier", "eva"], over: server)
        #expect(exit == .code(hasOthers ? 0 : 5), "\(output)")
        #expect(output.contains("1 is handed over, to be confirmed, and stays with mira: A-1043 2/2"), "\(output)")
        #expect(changed.withLock { $0 } == (hasOthers ? ["/v1/deliveries/\(live.id)/courier"] : []))
        try await server.stop()
    }
}
