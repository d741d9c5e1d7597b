import Foundation
import Testing

@testable import DoorstepDevice

extension DeviceTests {
    // MARK: - Answers that are not Doorstep's

    @Test(
        "A report that something else than Doorstep answered is told, and is sent again with its token",
        arguments: [
            DeviceHTTPResponse.json("404 page not found", status: 404), .json("<html>", status: 403),
            .json("", status: 307), .json("<html>"),
        ])
    func foreignAnswer(foreign: DeviceHTTPResponse) async throws {
        let phone = FakePhone(present: [.sample("i-1")])
        try await TestDevice.run(phone: phone) { test in
            try await test.launched()
            let attempts = Counter()
            test.server.answers { request in
                guard request.url.lastPathComponent == "reports", attempts.next() == 1 else {
                    return try FakeServer.standard(request)
                }
                return foreign
            }
            await phone.change("i-1", .updateToken(Data([1, 2])))
            for _ in 1...2 {
                let reports = try await test.server.nextReports()
                #expect(reports.map { $0["kind"] as? String } == ["started"] && reports.compactMap(token) == ["0102"])
            }
            #expect(test.problems.all.map(\.status) == [foreign.status])
            #expect(test.pauses.all == [.seconds(1)])
        }
    }

    @Test(
        "A report that a proxy refuses for its size or form is told once, and holds up no other",
        arguments: [400, 413, 414, 422, 431])
    func foreignRefusal(status: Int) async throws {
        let phone = FakePhone(present: [.sample("i-1")])
        try await TestDevice.run(phone: phone) { test in
            try await test.launched()
            let attempts = Counter()
            test.server.answers { request in
                guard request.url.lastPathComponent == "reports", attempts.next() == 1 else {
                    return try FakeServer.standard(request)
                }
                return .json("<html>", status: status)
            }
            await phone.change("i-1", .updateToken(Data([1, 2])))
            #expect(try await test.server.nextReports().compactMap(token) == ["0102"])
            await phone.change("i-1", .updateToken(Data([3, 4])))
            #expect(try await test.server.nextReports().compactMap(token) == ["0304"])
            #expect(test.problems.all.map(\.status) == [status] && test.pauses.all.isEmpty)
        }
    }

    @Test("A registration that something else than Doorstep answered is told, and is sent again")
    func foreignRegistration() async throws {
        let attempts = Counter()
        let server = FakeServer { request in
            attempts.next() == 1 ? .json("<html>") : try FakeServer.standard(request)
        }
        try await TestDevice.run(server: server) { test in
            for _ in 1...2 { _ = try await test.server.next(.put, "/v1/devices/phone") }
            _ = try await test.server.nextReports()
            #expect(test.problems.all.map(\.type) == ["unreadable-answer"])
            #expect(test.pauses.all == [.seconds(1)])
        }
    }

    @Test("An answer about what is wanted that cannot be read is told once, and holds up no report")
    func foreignWanted() async throws {
        let phone = FakePhone(present: [.sample("i-1")])
        let server = FakeServer { request in
            request.url.lastPathComponent == "wanted" ? .json("{}") : try FakeServer.standard(request)
        }
        try await TestDevice.run(phone: phone, server: server) { test in
            try await test.launched()
            await phone.change("i-1", .updateToken(Data([1, 2])))
            #expect(try await test.server.nextReports().compactMap(token) == ["0102"])
            #expect(test.problems.all.map(\.type) == ["unreadable-answer"])
            #expect(test.pauses.all.isEmpty)
        }
    }
}
