import CommandOutput
import Foundation
import PhoneRules
import Testing

@testable import Doorstep

@Suite("What a device stores")
struct DeviceStateTests {
    @Test("A device keeps its name and its phone between runs, and forgets a phone from a clock that was set back")
    func state() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "doorstep-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let store = DeviceStateStore(environment: ["XDG_STATE_HOME": folder.path()])
        let device = try store.device(makeID: { "one" })
        #expect(device == "cli-one")
        #expect(try store.device(makeID: { "two" }) == "cli-one")

        let server = "http://127.0.0.1:8083"
        #expect(store.load(device: device, server: server, now: 1000) == nil)
        try store.save(DeviceState(phone: Phone(now: 1000), lastSequence: "7"), device: device, server: server)
        #expect(store.load(device: device, server: server, now: 1000)?.lastSequence == "7")
        #expect(store.load(device: device, server: "http://other", now: 1000) == nil)
        #expect(store.load(device: device, server: server, now: 1000 - 301) == nil)

        #expect(store.secret(of: device, server: server) == nil)
        try store.save(secret: "abc", of: device, server: server)
        #expect(store.secret(of: device, server: server) == "abc" && store.secret(of: "two", server: server) == nil)
        for file in try FileManager.default.contentsOfDirectory(atPath: store.folder.path()) {
            let attributes = try FileManager.default.attributesOfItem(
                atPath: store.folder.appending(path: file).path())
            #expect(attributes[.posixPermissions] as? Int == 0o600, "\(file)")
        }
    }

    @Test("A device is one process at a time, and free again when that one has left")
    func lock() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "doorstep-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let store = DeviceStateStore(environment: ["XDG_STATE_HOME": folder.path()])
        let server = "http://127.0.0.1:8083"
        var first: DeviceLock? = try store.lock(device: "one", server: server)
        #expect(first != nil)
        let failure = #expect(throws: CommandFailure.self) { try store.lock(device: "one", server: server) }
        #expect(failure?.kind == .conflict && failure?.message.contains("--device NAME") == true)
        _ = try store.lock(device: "two", server: server)
        _ = try store.lock(device: "one", server: "http://other")
        first = nil
        _ = try store.lock(device: "one", server: server)
    }
}
