import Foundation
import Testing

@testable import DoorstepDevice

@Suite("What a device keeps", .timeLimit(.minutes(1)))
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

    @Test("A first save that ends after the secret was stored does not leave the identity without it")
    func secretDuringFirstSave() async throws {
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        let store = SlowStore(gate)
        let device = DoorstepDevice(
            try TestDevice.configuration(), activities: FakePhone(), identities: store, http: FakeServer(),
            token: { "customer-token" }, onProblem: { _ in }, time: DeviceTime())
        async let first: Void = device.refresh()
        while await store.saves == 0 { await Task.yield() }
        try await device.refresh()
        try await device.register()
        let known = try #require(await device.identity)
        #expect(known.secret == "s-1")
        #expect(await store.kept == known)
        open.yield()
        try await first
        #expect(await store.kept == known)
    }

    @Test("A sign-out whose save ends after a sign-in was stored does not leave the app signed out")
    func signedInDuringSignOut() async throws {
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        let identity = DeviceIdentity(id: "phone", secret: "s-1")
        let store = SlowStore(gate, kept: identity)
        let device = DoorstepDevice(
            try TestDevice.configuration(), activities: FakePhone(), identities: store, http: FakeServer(),
            token: { "customer-token" }, onProblem: { _ in }, time: DeviceTime())
        async let signedOut: Void = device.signOut()
        while await store.saves == 0 { await Task.yield() }
        #expect(await device.identity?.isSignedOut == true)
        await device.signedIn()
        open.yield()
        try await signedOut
        #expect(await store.kept == identity)
    }

    @Test("A save that fails loses neither the identity of another call nor a secret that cannot be stored")
    func unstored() async throws {
        let (gate, open) = AsyncStream.makeStream(of: Void.self)
        let store = FullStore(gate)
        let device = DoorstepDevice(
            try TestDevice.configuration(), activities: FakePhone(), identities: store, http: FakeServer(),
            token: { "customer-token" }, onProblem: { _ in }, time: DeviceTime())
        let first = Task { try await device.refresh() }
        while await store.tried.isEmpty { await Task.yield() }
        try await device.refresh()
        try await device.register()
        open.yield()
        await #expect(throws: DoorstepProblem.self) { try await first.value }
        let kept = try #require(await store.kept)
        let tried = await store.tried
        #expect(tried.count == 3 && tried.allSatisfy { $0.id == kept.id })
        #expect(kept.secret == nil)
        #expect(await device.identity == DeviceIdentity(id: kept.id, secret: "s-1"))
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

/// Keeps the identity of the second save alone: the first fails once a test opens the gate, and later ones at once.
private actor FullStore: DeviceIdentityStore {
    private(set) var kept: DeviceIdentity?
    private(set) var tried: [DeviceIdentity] = []
    private let gate: AsyncStream<Void>

    init(_ gate: AsyncStream<Void>) { self.gate = gate }

    func load() -> DeviceIdentity? { kept }

    func save(_ identity: DeviceIdentity) async throws {
        tried.append(identity)
        guard tried.count != 2 else {
            kept = identity
            return
        }
        if tried.count == 1 {
            for await _ in gate { break }
        }
        throw CocoaError(.fileWriteOutOfSpace)
    }
}

/// Keeps an identity, and waits in the first save until a test opens the gate.
private actor SlowStore: DeviceIdentityStore {
    private(set) var kept: DeviceIdentity?
    private(set) var saves = 0
    private let gate: AsyncStream<Void>

    init(_ gate: AsyncStream<Void>, kept: DeviceIdentity? = nil) {
        self.gate = gate
        self.kept = kept
    }

    func load() -> DeviceIdentity? { kept }

    func save(_ identity: DeviceIdentity) async {
        saves += 1
        if saves == 1 {
            for await _ in gate { break }
        }
        kept = identity
    }
}
