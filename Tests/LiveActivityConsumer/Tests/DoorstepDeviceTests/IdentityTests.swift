import Foundation
import Testing

@testable import DoorstepDevice

@Suite("What a device keeps")
struct IdentityTests {
    @Test("A file keeps the identity, and there is none before")
    func file() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = DeviceIdentityFile(file: folder.appending(path: "deep/device.json"))
        #expect(try file.load() == nil)
        try file.save(DeviceIdentity(id: "phone"))
        try file.save(DeviceIdentity(id: "phone", secret: "s-1"))
        #expect(try file.load() == DeviceIdentity(id: "phone", secret: "s-1"))
    }

    @Test("A new id is as the server takes it, and hard to guess")
    func id() {
        #expect(DeviceIdentity().id.wholeMatch(of: /[A-Za-z0-9_-]{1,64}/) != nil)
        #expect(DeviceIdentity().id != DeviceIdentity().id)
    }

    @Test("No request names an identity that is not kept yet, and calls at once make one")
    func keptFirst() async throws {
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        let (store, server) = (SlowStore(gate), FakeServer())
        let device = DoorstepDevice(
            try TestDevice.configuration(), activities: FakePhone(), identities: store, http: server,
            token: { "customer-token" }, onProblem: { _ in }, time: DeviceTime())
        async let first: Void = device.refresh()
        while await store.saves == 0 { await Task.yield() }
        try await device.refresh()
        let kept = try #require(await store.kept)
        open.yield()
        try await first
        for _ in 1...2 {
            let request = await server.next()
            #expect(request.url.path == "/v1/devices/\(kept.id)/wanted")
        }
        #expect(await store.kept == kept)
    }

    @Test("A file that cannot be read is tried again, and no second identity is made")
    func unreadable() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let url = folder.appending(path: "device.json")
        try Data("not JSON".utf8).write(to: url)
        let server = FakeServer()
        let pauses = Counter()
        let repaired = #"{"id":"phone"}"#
        let device = DoorstepDevice(
            try TestDevice.configuration(), activities: FakePhone(), identities: DeviceIdentityFile(file: url),
            http: server, token: { "customer-token" }, onProblem: { _ in },
            time: DeviceTime(sleep: { _ in
                if pauses.next() == 2 { try Data(repaired.utf8).write(to: url) }
            }))
        let running = Task { await device.run() }
        defer { running.cancel() }
        _ = try await server.next(.put, "/v1/devices/phone")
        #expect(pauses.value == 2)
    }
}

/// Keeps an identity, and waits in the first save until a test opens the gate.
private actor SlowStore: DeviceIdentityStore {
    private(set) var kept: DeviceIdentity?
    private(set) var saves = 0
    private let gate: AsyncStream<Void>

    init(_ gate: AsyncStream<Void>) { self.gate = gate }

    func load() -> DeviceIdentity? { kept }

    func save(_ identity: DeviceIdentity) async {
        saves += 1
        if saves == 1 {
            for await _ in gate { break }
        }
        kept = identity
    }
}
