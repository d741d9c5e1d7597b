public import Foundation

/// Devices whose id begins with the search text, at most twenty, by their id.
public struct DevicesBody: Codable, Hashable, Sendable {
    public let devices: [Found]

    public init(devices: [Found]) { self.devices = devices }

    public struct Found: Codable, Hashable, Sendable {
        public let id: String
        /// The customer signed in on the device.
        public let customer: String
        /// Domain time up to which its stream is known to have been open; nil where it never was, as with APNs.
        public let lastConnectedAt: Date?

        public init(id: String, customer: String, lastConnectedAt: Date?) {
            self.id = id
            self.customer = customer
            self.lastConnectedAt = lastConnectedAt
        }
    }
}
