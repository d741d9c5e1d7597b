import Foundation
import LiveActivity
import Testing

@testable import DoorstepDevice

extension DeviceTests {
    // MARK: - Cards that their owner swipes away

    private static let wantedCard: FakeServer.Answer = { request in
        guard request.url.lastPathComponent == "wanted" else { return try FakeServer.standard(request) }
        let body = try JSONEncoder().encode(WantedBody(activities: [.sample("a-1", card: "c-1")]))
        return DeviceHTTPResponse(status: 200, body: body)
    }

    @Test("A card that is swiped away while an answer wants it is started only where Doorstep wants it since it knows")
    func swipedMeanwhile() async throws {
        let phone = FakePhone(present: [.sample("i-1")])
        let (asked, reported) = (Counter(), Counter())
        let server = FakeServer { request in
            if request.url.lastPathComponent == "reports" { _ = reported.next() }
            return try Self.wantedCard(request)
        }
        server.beforeAnswers { request in
            // The first two are those of the launch and of the foreground.
            guard request.url.lastPathComponent == "wanted", asked.next() == 3 else { return }
            await phone.swipe("i-1")
            while reported.value < 2 { await Task.yield() }
        }
        try await TestDevice.run(phone: phone, server: server) { test in
            try await test.launched()
            await test.device.enteredForeground()
            _ = try await test.server.next(.get, "/v1/devices/phone/wanted")
            try await test.device.refresh()
            #expect(phone.started.isEmpty && asked.value == 3)
            try await test.device.refresh()
            #expect(phone.started.map(\.activity) == ["a-1"])
        }
    }

    @Test("A card is not started again while the report that it was swiped away waits")
    func swipedUnreported() async throws {
        let phone = FakePhone(present: [.sample("i-1")])
        let (sleeping, continuation) = AsyncStream.makeStream(of: Void.self)
        try await TestDevice.run(
            phone: phone, server: FakeServer(Self.wantedCard), sleep: TestDevice.sleepUntilCancelled(continuation)
        ) { test in
            try await test.launched()
            await test.device.enteredForeground()
            _ = try await test.server.next(.get, "/v1/devices/phone/wanted")
            test.server.answers { request in
                guard request.url.lastPathComponent == "reports" else { return try Self.wantedCard(request) }
                return .problem("unavailable", status: 503, detail: "later")
            }
            await phone.swipe("i-1")
            for await _ in sleeping { break }
            try await test.device.refresh()
            #expect(phone.started.isEmpty)
            test.server.answers(Self.wantedCard)
            try await test.device.refresh()
            #expect(phone.started.map(\.activity) == ["a-1"])
        }
    }

    @Test("A card whose report Doorstep refuses for good is started again where it is wanted")
    func swipedRefused() async throws {
        let phone = FakePhone(present: [.sample("i-1")])
        try await TestDevice.run(phone: phone, server: FakeServer(Self.wantedCard)) { test in
            try await test.launched()
            await test.device.enteredForeground()
            _ = try await test.server.next(.get, "/v1/devices/phone/wanted")
            test.server.answers { request in
                guard request.url.lastPathComponent == "reports" else { return try Self.wantedCard(request) }
                return .problem("malformed", status: 400, detail: "1 place is wrong")
            }
            await phone.swipe("i-1")
            while test.problems.all.isEmpty { await Task.yield() }
            try await test.device.refresh()
            #expect(phone.started.map(\.activity) == ["a-1"])
        }
    }

    @Test("A card whose report too many others have pushed out is started again where it is wanted after an inventory")
    func swipedUnnoted() async throws {
        let phone = FakePhone(present: [.sample("i-1")])
        let (sleeping, continuation) = AsyncStream.makeStream(of: Void.self)
        try await TestDevice.run(
            phone: phone, server: FakeServer(Self.wantedCard), sleep: TestDevice.sleepUntilCancelled(continuation)
        ) { test in
            try await test.launched()
            await test.device.enteredForeground()
            _ = try await test.server.next(.get, "/v1/devices/phone/wanted")
            test.server.answers { request in
                guard request.url.lastPathComponent == "reports" else { return try Self.wantedCard(request) }
                return .problem("unavailable", status: 503, detail: "later")
            }
            await phone.swipe("i-1")
            for await _ in sleeping { break }
            for number in 1...PendingUploads.reportsMax {
                await test.device.add(ReportBody(instance: "other-\(number)", kind: .shown))
            }
            test.server.answers(Self.wantedCard)
            try await test.device.refresh()
            #expect(phone.started.map(\.activity) == ["a-1"])
        }
    }

    @Test("The accepted report of a card says nothing of the next one of its activity that is swiped away meanwhile")
    func swipedTwice() async throws {
        let phone = FakePhone(present: [.sample("i-1")])
        let reported = Counter()
        let (sleeping, continuation) = AsyncStream.makeStream(of: Void.self)
        try await TestDevice.run(
            phone: phone, server: FakeServer(Self.wantedCard), sleep: TestDevice.sleepUntilCancelled(continuation)
        ) { test in
            try await test.launched()
            await test.device.enteredForeground()
            _ = try await test.server.next(.get, "/v1/devices/phone/wanted")
            test.server.answers { request in
                guard request.url.lastPathComponent == "reports", reported.next() > 1 else {
                    return try Self.wantedCard(request)
                }
                return .problem("unavailable", status: 503, detail: "later")
            }
            let device = test.device
            test.server.beforeAnswers { request in
                guard request.url.lastPathComponent == "reports", reported.value == 1 else { return }
                phone.push(.sample("i-2"))
                await phone.swipe("i-2")
                while await !device.hasDismissed("i-2", isConfirmed: false) { await Task.yield() }
            }
            await phone.swipe("i-1")
            for await _ in sleeping { break }
            try await device.refresh()
            #expect(phone.started.isEmpty)
            test.server.answers(Self.wantedCard)
            try await device.refresh()
            #expect(phone.started.map(\.activity) == ["a-1"])
        }
    }

    @Test("An answer from before the next card of its activity was swiped away starts none, once both are reported")
    func swipedTwiceMeanwhile() async throws {
        let phone = FakePhone(present: [.sample("i-1")])
        try await TestDevice.run(phone: phone, server: FakeServer(Self.wantedCard)) { test in
            try await test.launched()
            await test.device.enteredForeground()
            _ = try await test.server.next(.get, "/v1/devices/phone/wanted")
            let device = test.device
            await phone.swipe("i-1")
            while await !device.hasDismissed("i-1", isConfirmed: true) { await Task.yield() }
            let asked = Counter()
            test.server.beforeAnswers { request in
                guard request.url.lastPathComponent == "wanted", asked.next() == 1 else { return }
                phone.push(.sample("i-2"))
                await phone.swipe("i-2")
                while await !device.hasDismissed("i-2", isConfirmed: true) { await Task.yield() }
            }
            try await device.refresh()
            #expect(phone.started.isEmpty && asked.value == 1)
            try await device.refresh()
            #expect(phone.started.map(\.activity) == ["a-1"])
        }
    }
}

extension DoorstepDevice {
    /// Whether this is the last card of the sample's activity that has left the screen.
    fileprivate func hasDismissed(_ instance: String, isConfirmed: Bool) -> Bool {
        guard let card = dismissedHere["a-1"] else { return false }
        return card.instance == instance && card.isConfirmed == isConfirmed
    }
}
