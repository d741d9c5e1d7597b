import CommandOutput
import Foundation
import PhoneRules
import Testing

@testable import Doorstep

@Suite("What a device stores")
struct DeviceStateTests {
    /// A folder that is another one where its name is percent-encoded.
    private let folder = FileManager.default.temporaryDirectory.path + "/doorstep \(UUID().uuidString) a b ø%20"

    private var store: DeviceStateStore { DeviceStateStore(environment: ["XDG_STATE_HOME": folder]) }

    @Test("A device keeps its name and its phone between runs, and forgets a phone from a clock that was set back")
    func state() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
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
        #expect(store.folder.path == folder + "/doorstep")
        for file in try FileManager.default.contentsOfDirectory(atPath: store.folder.path) {
            let attributes = try FileManager.default.attributesOfItem(atPath: "\(store.folder.path)/\(file)")
            #expect(attributes[.posixPermissions] as? Int == 0o600, "\(file)")
        }
    }

    @Test("A device is one process at a time, and free again when that one has left")
    func lock() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
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
