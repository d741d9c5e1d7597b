import CommandOutput
import Foundation
import PhoneRules

/// A device's state between two runs of `track`: quitting the client ends no card.
struct DeviceState: Codable, Sendable {
    /// The most seconds of a clock set back before a saved phone counts as another stack's.
    static let clockToleranceSeconds = 300

    var phone: Phone
    /// The id for `Last-Event-ID`; saved with the phone in one file, so that neither is ahead of the other.
    var lastSequence: String?
    /// The registration under which the cards came, see ``DeviceAPI/registration``; nil in files of former versions.
    var registration: String?
}

/// The files of devices in `$XDG_STATE_HOME/doorstep`, one for each device and server.
struct DeviceStateStore: Sendable {
    let folder: URL

    init(environment: [String: String] = ProcessInfo.processInfo.environment) {
        let state = environment["XDG_STATE_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil }
        let base = state ?? (environment["HOME"] ?? NSHomeDirectory()) + "/.local/state"
        folder = URL(filePath: base, directoryHint: .isDirectory).appending(path: "doorstep")
    }

    /// The id of this user's device on this machine, generated once.
    func device(makeID: () -> String = { UUID().uuidString.lowercased() }) throws -> String {
        let file = folder.appending(path: "device")
        // A missing file is written below; the write reports a folder that cannot be used.
        if let text = try? String(contentsOf: file, encoding: .utf8) {
            let id = text.trimmingCharacters(in: .whitespacesAndNewlines)
            if !id.isEmpty { return id }
        }
        let id = "cli-\(makeID())"
        try write(Data((id + "\n").utf8), to: file)
        return id
    }

    /// The saved state; nil for a new device, and where the server's clock was set back since.
    func load(device: String, server: String, now: Int) -> DeviceState? {
        // A state that cannot be read counts as a new device's: the stream sends every card again.
        guard let data = try? Data(contentsOf: file(device, server)),
            let state = try? JSONDecoder().decode(DeviceState.self, from: data),
            state.phone.now <= now + DeviceState.clockToleranceSeconds
        else { return nil }
        return state
    }

    func save(_ state: DeviceState, device: String, server: String) throws {
        try write(try JSONEncoder().encode(state), to: file(device, server))
    }

    /// The secret that authenticates the device at the server; nil before its first registration.
    func secret(of device: String, server: String) -> String? {
        // Without a readable secret the device registers, and the server decides whether it may.
        try? String(contentsOf: file(device, server, "secret", "txt"), encoding: .utf8)
    }

    func save(secret: String, of device: String, server: String) throws {
        try write(Data(secret.utf8), to: file(device, server, "secret", "txt"))
    }

    /// Keeps other processes of this machine from being the same device, for as long as the result lives.
    ///
    /// - Throws: `CommandFailure` of kind conflict where another one is it already.
    func lock(device: String, server: String) throws -> DeviceLock {
        try makeFolder()
        return try DeviceLock(file(device, server, "lock", "txt"), device: device)
    }

    private func file(_ device: String, _ server: String, _ kind: String = "phone", _ type: String = "json") -> URL {
        let name = "\(device)@\(server)".map { $0.isLetter || $0.isNumber || $0 == "-" ? $0 : "_" }
        return folder.appending(path: "\(kind)-\(String(name)).\(type)")
    }

    /// Writes a file atomically; only its owner may read it, since it contains links.
    private func write(_ data: Data, to file: URL) throws {
        try makeFolder()
        do {
            try data.write(to: file, options: .atomic)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
        } catch {
            throw CommandFailure(.unavailable, "\(file.path) cannot be written: \(error.localizedDescription)")
        }
    }

    private func makeFolder() throws {
        do {
            try FileManager.default.createDirectory(
                at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw CommandFailure(.unavailable, "\(folder.path) cannot be made: \(error.localizedDescription)")
        }
    }
}
