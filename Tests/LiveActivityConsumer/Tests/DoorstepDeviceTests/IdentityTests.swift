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
