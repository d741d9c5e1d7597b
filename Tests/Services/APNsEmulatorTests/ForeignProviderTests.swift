import Foundation
import LiveActivity
import NIOCore
import NIOHPACK
import NIOHTTP2
import PhoneRules
import Testing

@testable import APNsEmulator

/// What providers do that are not ours, and what the protocol lets any of them do.
@Suite("Other providers", .timeLimit(.minutes(10)))
struct ForeignProviderTests {
    static let noon = 1_795_262_400
    let start = Pushes.body("start", at: ForeignProviderTests.noon)

    @Test(
        "A provider's token may have its time as a fraction or as text, as some clients write it",
        arguments: [
            ("1795262400", nil), ("1795262400.25", nil), (#""1795262400""#, nil),
            (#""noon""#, RefusalReason.invalidProviderToken), ("null", .invalidProviderToken),
            ("1e300", .invalidProviderToken),
        ])
    func issuedAt(claim: String, refusal: RefusalReason?) throws {
        let key = ProviderKey()
        var authentication = ConnectionAuthentication()
        let bearer = try key.bearer(issuedAtClaim: claim)
        var reason: RefusalReason?
        do throws(Refusal) {
            try authentication.check(
                bearer, keys: (0, [key.keyID: key.signingKey]), environment: .production, topic: nil, at: Self.noon)
        } catch { reason = error.reason }
        #expect(reason == refusal)
    }

    @Test("A body that is too large is refused with its reason before the rest of it has come")
    func restOfBody() async throws {
        try await RunningEmulator.connected { emulator, provider, token in
            provider.channel.write(
                HTTP2Frame(streamID: 1, payload: .headers(.init(headers: emulator.headers(token)))), promise: nil)
            try await provider.send(body: [UInt8](repeating: 32, count: 5000), on: 1, ends: false)
            let refused = await provider.response(on: 1)
            #expect(refused?.status == "413")
            #expect(refused?.body == #"{"reason":"PayloadTooLarge"}"#)
            try await provider.send(emulator.headers(token), start, on: 3)
            #expect(await provider.response(on: 3)?.status == "200")
        }
    }

    @Test("A body may come in padded frames of one byte")
    func padding() async throws {
        try await RunningEmulator.connected { emulator, provider, token in
            try await provider.channel.writeAndFlush(
                HTTP2Frame(streamID: 1, payload: .headers(.init(headers: emulator.headers(token)))))
            try await provider.ping()
            let frames = start.enumerated().flatMap { place, byte -> [UInt8] in
                let isLast: UInt8 = place == start.count - 1 ? 1 : 0
                return [0, 1, 1, 0, 8 + isLast, 0, 0, 0, 1, 255, byte] + [UInt8](repeating: 0, count: 255)
            }
            try await provider.raw(frames)
            #expect(await provider.response(on: 1)?.status == "200")
        }
    }

    @Test("A provider that does not offer HTTP/2 by ALPN gets no connection", arguments: [[], ["http/1.1"]])
    func protocols(offered: [String]) async throws {
        try await RunningEmulator.run { emulator in
            let provider = try await emulator.connect(offering: offered)
            #expect(await provider.first { _ in true } == nil, "the connection ends without a frame")
        }
    }

    @Test(
        "A request that HTTP/2 forbids is reset, and the connection goes on",
        arguments: [("connection", "close"), ("content-length", "3"), ("X-Upper", "1")])
    func malformed(name: String, value: String) async throws {
        try await RunningEmulator.run { emulator in
            let token = try emulator.addPhone("p")
            let provider = try await emulator.connect(validates: false)
            try await provider.send(emulator.headers(token), start, on: 1)
            #expect(await provider.response(on: 1)?.status == "200")
            #expect(await provider.streamLimit() == 1000)
            var headers = emulator.headers(token)
            headers.add(name: name, value: value)
            try await provider.send(headers, start, on: 3)
            #expect(await provider.response(on: 3) == nil)
            try await provider.send(emulator.headers(token), start, on: 5)
            #expect(await provider.response(on: 5)?.status == "200")
            await provider.close()
        }
    }

    @Test("A connection that was told to end does, also where its provider gave up a request that has no answer")
    func endsAfterSilence() async throws {
        try await RunningEmulator.connected { emulator, provider, token in
            var fault = Fault(kind: .silence)
            fault.times = 1
            #expect(emulator.emulator.service.add(fault))
            try await provider.send(emulator.headers(token), start, on: 1)
            #expect(await provider.streamLimit() == 1)
            #expect(await provider.streamLimit() == 1000)
            try await provider.channel.writeAndFlush(HTTP2Frame(streamID: 1, payload: .rstStream(.cancel)))
            try await provider.ping()
            emulator.emulator.service.goAway(reason: "Shutdown")
            _ = await provider.first { if case .goAway = $0.payload { true } else { nil } }
            #expect(await provider.first { _ in true } == nil, "the connection ends")
        }
    }
}
