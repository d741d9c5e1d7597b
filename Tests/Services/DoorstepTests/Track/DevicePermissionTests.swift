import Synchronization
import Testing

@testable import Doorstep

@Suite("A device's permission")
struct DevicePermissionTests {
    /// A server whose first answer comes when the test lets it.
    private final class SlowServer: Sendable {
        private let registered = Mutex<[Bool]>([])
        private let calls = Atomic(0)
        private let firstAnswer = AsyncStream.makeStream(of: Void.self)
        private let firstCall = AsyncStream.makeStream(of: Void.self)

        var isOn: Bool? { registered.withLock(\.last) }

        func register(_ isOn: Bool) async {
            if calls.add(1, ordering: .relaxed).oldValue == 0 {
                firstCall.continuation.yield()
                for await _ in firstAnswer.stream { break }
            }
            registered.withLock { $0.append(isOn) }
        }

        func waitForFirstCall() async { for await _ in firstCall.stream { break } }
        func answerFirst() { firstAnswer.continuation.yield() }
    }

    /// A server that refuses the first registration.
    private final class RefusingServer: Sendable {
        struct Refusal: Error {}

        private let calls = Mutex<[Bool]>([])
        var registered: [Bool] { calls.withLock(\.self) }

        func register(_ isOn: Bool) throws {
            try calls.withLock { calls in
                calls.append(isOn)
                if calls.count == 1 { throw Refusal() }
            }
        }
    }

    @Test("The last choice wins, also over a registration that was under way before it and arrives after it")
    func lastWord() async throws {
        let server = SlowServer()
        let permission = DevicePermission(isOn: true) { await server.register($0) }
        async let opening: Void = permission.synchronize()
        await server.waitForFirstCall()
        let isRegistered = await permission.set(false)
        #expect(isRegistered && server.isOn == false)
        server.answerFirst()
        try await opening
        #expect(server.isOn == false)
    }

    @Test("A choice that the server refused is registered when the stream next opens")
    func refused() async throws {
        let server = RefusingServer()
        let permission = DevicePermission(isOn: true) { try server.register($0) }
        let isRegistered = await permission.set(false)
        #expect(!isRegistered)
        try await permission.synchronize()
        #expect(server.registered == [false, false])
    }
}
