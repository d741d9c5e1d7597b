import EmulatorAPI
import Foundation
import LiveActivity
import NIOCore
import NIOHPACK
import NIOHTTP2
import PhoneRules
import Testing

@testable import APNsEmulator

@Suite("The protocol on the wire", .timeLimit(.minutes(10)))
struct ProviderConnectionTests {
    static let noon = 1_795_262_400
    let start = Pushes.body("start", at: ProviderConnectionTests.noon)

    @Test("A connection has one stream until its first authenticated request, then as many as are set")
    func streamLimits() async throws {
        try await RunningEmulator.connected { emulator, provider, token in
            #expect(await provider.streamLimit() == 1)
            var anonymous = emulator.headers(token)
            anonymous.remove(name: "authorization")
            try await provider.send(anonymous, start, on: 1)
            let refused = await provider.response(on: 1)
            #expect(refused?.status == "403")
            #expect(refused?.body == #"{"reason":"MissingProviderToken"}"#)
            try await provider.send(emulator.headers(token), start, on: 3)
            // The answer and the new limit come together, in either order.
            #expect(await provider.streamLimit() == 1000)
            emulator.emulator.service.limits = .init(beforeAuthentication: 1, streams: 7)
            #expect(await provider.streamLimit() == 7)
            #expect(try emulator.emulator.fleet.phone("p").phone.activities.count == 1)
        }
    }

    @Test("Limits that change before a connection's first authenticated request are those of such a connection")
    func earlyLimits() async throws {
        try await RunningEmulator.run { emulator in
            let provider = try await emulator.connect()
            #expect(await provider.streamLimit() == 1)
            emulator.emulator.service.limits = .init(beforeAuthentication: 2, streams: 7)
            #expect(await provider.streamLimit() == 2)
            await provider.close()
        }
    }

    @Test("A refusal says after how many seconds to try again, where the script has it")
    func retryAfter() async throws {
        try await RunningEmulator.connected { emulator, provider, token in
            var fault = Fault(kind: .answer)
            fault.reason = "TooManyRequests"
            fault.retryAfter = 7
            #expect(emulator.emulator.service.add(fault))
            try await provider.send(emulator.headers(token), start, on: 1)
            let refused = await provider.response(on: 1)
            #expect(refused?.status == "429")
            #expect(refused?.headers.first(name: "retry-after") == "7")
        }
    }

    @Test("The request's id is echoed, one is made where it has none, and the sandbox adds its own")
    func ids() async throws {
        try await RunningEmulator.run { emulator in
            let token = try emulator.addPhone("p") { $0.environment = .sandbox }
            let id = "123e4567-e89b-12d3-a456-426614174000"
            let sandbox = try await emulator.connect(sandbox: true)
            try await sandbox.send(emulator.headers(token, id: id), start, on: 1)
            let accepted = await sandbox.response(on: 1)
            #expect(accepted?.status == "200")
            #expect(accepted?.body == "")
            #expect(accepted?.headers.first(name: "apns-id") == id)
            #expect(accepted?.headers.first(name: "apns-unique-id") != nil)
            #expect(accepted?.headers.first(name: "date")?.hasSuffix(" GMT") == true)
            await sandbox.close()
            let production = try await emulator.connect()
            try await production.send(emulator.headers(token), start, on: 1)
            let refused = await production.response(on: 1)
            #expect(refused?.status == "400")
            #expect(refused?.body == #"{"reason":"BadDeviceToken"}"#)
            #expect(refused?.headers.first(name: "apns-unique-id") == nil)
            #expect(UUID(uuidString: refused?.headers.first(name: "apns-id") ?? "") != nil)
            let other = try emulator.addPhone("q")
            try await production.send(emulator.headers(other), start, on: 3)
            let taken = await production.response(on: 3)
            #expect(taken?.status == "200")
            #expect(taken?.headers.first(name: "apns-unique-id") == nil)
            await production.close()
        }
    }

    @Test("The time of a 410 is in milliseconds")
    func milliseconds() async throws {
        try await RunningEmulator.connected { emulator, provider, token in
            let phone = try emulator.emulator.fleet.change("p") { $0.rotate(.start, at: $1) }
            guard case .expired(let since) = phone.phone.status(of: token, at: .max) else {
                Issue.record("not expired")
                return
            }
            try await provider.send(emulator.headers(token), start, on: 1)
            let gone = await provider.response(on: 1)
            #expect(gone?.status == "410")
            #expect(gone?.body == #"{"reason":"ExpiredToken","timestamp":\#(since)000}"#)
        }
    }

    @Test("A body above 4 KB is refused, and the connection goes on")
    func tooLarge() async throws {
        try await RunningEmulator.connected { emulator, provider, token in
            try await provider.send(emulator.headers(token), [UInt8](repeating: 32, count: 5000), on: 1)
            let refused = await provider.response(on: 1)
            #expect(refused?.status == "413")
            try await provider.send(emulator.headers(token), start, on: 3)
            #expect(await provider.response(on: 3)?.status == "200")
        }
    }

    @Test("GOAWAY says its reason and the last request that counts; the connection ends", arguments: [false, true])
    func goAway(isProcessed: Bool) async throws {
        try await RunningEmulator.connected { emulator, provider, token in
            try await provider.send(emulator.headers(token), start, on: 1)
            #expect(await provider.response(on: 1)?.status == "200")
            var fault = Fault(kind: .goAway)
            fault.reason = "Shutdown"
            fault.isProcessed = isProcessed
            #expect(emulator.emulator.service.add(fault))
            try await provider.send(emulator.headers(token), start, on: 3)
            let away = await provider.first { frame -> (HTTP2StreamID, String)? in
                guard case .goAway(let last, _, let data) = frame.payload else { return nil }
                return (last, data.map { String(buffer: $0) } ?? "")
            }
            #expect(away?.0 == (isProcessed ? 3 : 1))
            #expect(away?.1 == #"{"reason":"Shutdown"}"#)
            #expect(await provider.response(on: 3) == nil, "the request has no answer")
        }
    }

    @Test("A reset stream leaves the others alone, and a closed connection none")
    func resets() async throws {
        try await RunningEmulator.connected { emulator, provider, token in
            var fault = Fault(kind: .resetStream)
            fault.times = 1
            #expect(emulator.emulator.service.add(fault))
            try await provider.send(emulator.headers(token), start, on: 1)
            #expect(await provider.response(on: 1) == nil)
            try await provider.send(emulator.headers(token), start, on: 3)
            #expect(await provider.response(on: 3)?.status == "200")
            #expect(emulator.emulator.service.add(Fault(kind: .closeConnection)))
            try await provider.send(emulator.headers(token), start, on: 5)
            #expect(await provider.first { _ in nil as Bool? } == nil, "the connection ends")
        }
    }

    /// A connection on which stream 3 has met a fault, and stream 5 was answered before it, with the token of both.
    private func passing(_ fault: Fault, on emulator: RunningEmulator) async throws -> (RawProvider, String) {
        let token = try emulator.addPhone("p")
        let provider = try await emulator.connect()
        try await provider.send(emulator.headers(token), start, on: 1)
        #expect(await provider.streamLimit() == 1)
        #expect(await provider.streamLimit() == 1000)
        var once = fault
        once.times = 1
        #expect(emulator.emulator.service.add(once))
        try await provider.send(emulator.headers(token), start, on: 3)
        try await provider.send(emulator.headers(token), start, on: 5)
        let answered = await provider.first { frame -> HTTP2StreamID? in
            if case .headers = frame.payload, frame.streamID > 1 { frame.streamID } else { nil }
        }
        #expect(answered == 5)
        return (provider, token)
    }

    @Test("Silence holds one stream up and not the next")
    func silence() async throws {
        try await RunningEmulator.run { emulator in
            let (provider, _) = try await passing(Fault(kind: .silence), on: emulator)
            await provider.close()
        }
    }

    @Test("An answer that is minutes late keeps a later request from nothing, and one that is not does come")
    func delay() async throws {
        try await RunningEmulator.run { emulator in
            var fault = Fault(kind: .delay)
            fault.delayMilliseconds = 600_000
            fault.times = 1
            let (provider, token) = try await passing(fault, on: emulator)
            fault.delayMilliseconds = 1
            #expect(emulator.emulator.service.add(fault))
            try await provider.send(emulator.headers(token), start, on: 7)
            #expect(await provider.response(on: 7)?.status == "200")
            await provider.close()
        }
    }

    @Test("A shutdown says so on every connection")
    func shutdown() async throws {
        try await RunningEmulator.connected { emulator, provider, token in
            try await provider.send(emulator.headers(token), start, on: 1)
            #expect(await provider.response(on: 1)?.status == "200")
            emulator.emulator.service.drain()
            let reason = await provider.first { frame -> String? in
                guard case .goAway(_, _, let data) = frame.payload else { return nil }
                return data.map { String(buffer: $0) }
            }
            #expect(reason == #"{"reason":"Shutdown"}"#)
        }
    }
}
