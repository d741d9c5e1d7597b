public import Foundation

/// By what Doorstep knows a device.
public struct DeviceIdentity: Codable, Hashable, Sendable {
    /// Hard to guess, and the same for as long as the app is installed.
    public var id: String
    /// The secret from the first registration; another customer can sign in on the device only with it.
    public var secret: String?
    /// Whether the customer has signed out on the device, and none has signed in since; nil means no.
    public var isSignedOut: Bool?
    /// Whether Doorstep has not accepted that sign-out yet; nil means no.
    public var isSignOutDue: Bool?

    public init(id: String = UUID().uuidString.lowercased(), secret: String? = nil) {
        self.id = id
        self.secret = secret
    }

    /// Records that the customer has signed out, which Doorstep does not know yet, or that one has signed in.
    mutating func setSignedOut(_ isSignedOut: Bool) {
        self.isSignedOut = isSignedOut ? true : nil
        isSignOutDue = self.isSignedOut
    }
}

/// Keeps a device's identity between launches.
public protocol DeviceIdentityStore: Sendable {
    /// - Returns: nil before the first `save(_:)`.
    func load() async throws -> DeviceIdentity?
    /// Stores the identity in place of the former one.
    ///
    /// Calls may overlap and end in any order: the device stores the newest identity again after an older one.
    func save(_ identity: DeviceIdentity) async throws
}

/// Keeps the identity in a file, which is not backed up and goes with the app.
///
/// A backup restored on a second phone would make two phones one device, and the keychain outlives the app.
public struct DeviceIdentityFile: DeviceIdentityStore {
    private let file: URL

    public init(file: URL) { self.file = file }

    /// In Application Support.
    public init() {
        let folders = FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask)
        self.init(file: folders[0].appending(path: "doorstep-device.json"))
    }

    /// Reads the file; nil where there is none.
    /// - Throws: `CocoaError` or `DecodingError` for an unreadable file.
    public func load() throws -> DeviceIdentity? {
        guard FileManager.default.fileExists(atPath: file.path) else { return nil }
        return try JSONDecoder().decode(DeviceIdentity.self, from: Data(contentsOf: file))
    }

    /// Writes the file.
    /// - Throws: `CocoaError` where it cannot be written.
    public func save(_ identity: DeviceIdentity) throws {
        try FileManager.default.createDirectory(
            at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        let data = try JSONEncoder().encode(identity)
        #if canImport(Darwin)
            // The app is also woken by a push while the phone is locked.
            try data.write(to: file, options: [.atomic, .completeFileProtectionUntilFirstUserAuthentication])
            var values = URLResourceValues()
            values.isExcludedFromBackup = true
            var written = file
            try written.setResourceValues(values)
        #else
            try data.write(to: file, options: .atomic)
        #endif
    }
}
