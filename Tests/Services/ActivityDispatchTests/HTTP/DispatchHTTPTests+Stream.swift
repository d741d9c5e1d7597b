import DomainTime
import DoorstepAPI
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import LiveActivity
import NIOCore
import OpenAPITesting
import OrderDomain
import ServiceRuntime
import Synchronization
import TestSupport
import Testing

@testable import ActivityDispatch

extension DispatchHTTPTests {
    /// Time that stands still until it is released: however slow a machine is, no stream ends before that.
    private final class HeldTime: Sendable {
        private let begin = ContinuousClock.now
        private let releasedAt = Mutex<ContinuousClock.Instant?>(nil)

        var elapsed: ContinuousClock.Instant {
            releasedAt.withLock { $0 }.map { begin + ($0.duration(to: .now)) } ?? begin
        }

        func release() { releasedAt.withLock { $0 = .now } }
    }

    @Test("The stream carries a push when it is committed, resumes after an id, and ends with its token")
    func streams() async throws {
        let time = HeldTime()
        try await DispatchUnderTest.run(elapsed: { time.elapsed }) { service in
            let server = try await server(service)
            let mira = try await server.headers(.customer, "mira", lifetime: 10)
            try await service.showOnPhone(delivery)
            let start = try #require(try await service.events()?.first)
            try await server.http.application.test(documentedBy: PackageResources.openapi_yaml) { client in
                async let whole = client.execute(uri: "/v1/devices/phone/stream", method: .get, headers: mira)
                while service.hub.streams.count < 1 { await Task.yield() }
                service.clock.advance(by: 5)
                try await service.show(2, of: delivery, phase: .onTheWay, alert: "picked_up")
                try await service.reconcile()
                time.release()
                let all = String(buffer: try await whole.body)
                var resumed = try await server.headers(.customer, "mira", lifetime: 10)
                resumed[.lastEventID] = String(start.id)
                let rest = try await client.execute(uri: "/v1/devices/phone/stream", method: .get, headers: resumed)
                let after = String(buffer: rest.body)
                let update = try #require(try await service.events(after: start.id)?.first)
                #expect(all.contains("id: \(update.id)\nevent: push\ndata: {"))
                #expect(after.contains("id: \(update.id)\nevent: push\n"))
                #expect(!after.contains("id: \(start.id)\n"))
            }
            #expect(service.hub.streams.count == 0)
        }
    }
}
