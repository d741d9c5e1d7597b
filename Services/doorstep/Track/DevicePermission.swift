/// Whether the person allows cards on this device, and telling the server so.
///
/// The last word wins even where two registrations are under way at once: one that comes back to find another wish
/// registers again.
actor DevicePermission {
    private var isOn: Bool
    private let register: @Sendable (_ isOn: Bool) async throws -> Void

    /// - Parameter register: tells the server; throws when it has not taken it.
    init(isOn: Bool, register: @escaping @Sendable (_ isOn: Bool) async throws -> Void) {
        self.isOn = isOn
        self.register = register
    }

    /// Tells the server how it is now.
    ///
    /// - Throws: what the registration threw.
    func tell() async throws {
        var told: Bool
        repeat {
            told = isOn
            try await register(told)
        } while told != isOn
    }

    /// Takes note of what the person chose, and tells the server.
    ///
    /// - Returns: false when the server has not taken it; the stream tells it when it next opens.
    func set(_ isOn: Bool) async -> Bool {
        self.isOn = isOn
        do {
            try await tell()
            return true
        } catch {
            return false
        }
    }
}
