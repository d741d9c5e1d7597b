/// Whether the person allows cards on this device, kept in step with the server's registration.
///
/// The last choice wins even where two registrations are in flight at once: one that returns after the choice has changed
/// registers again.
actor DevicePermission {
    private var isOn: Bool
    private let register: @Sendable (_ isOn: Bool) async throws -> Void

    /// - Parameter register: registers the device with the server; throws when the server has not accepted it.
    init(isOn: Bool, register: @escaping @Sendable (_ isOn: Bool) async throws -> Void) {
        self.isOn = isOn
        self.register = register
    }

    /// Registers the present choice with the server.
    ///
    /// - Throws: the registration's error.
    func synchronize() async throws {
        var registered: Bool
        repeat {
            registered = isOn
            try await register(registered)
        } while registered != isOn
    }

    /// Stores the person's choice, and registers it with the server.
    ///
    /// - Returns: false when the server has not accepted it; the stream registers it when it next opens.
    func set(_ isOn: Bool) async -> Bool {
        self.isOn = isOn
        do {
            try await synchronize()
            return true
        } catch {
            return false
        }
    }
}
