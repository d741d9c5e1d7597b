/// The transport of pushes to devices of one kind.
protocol Transport: Sendable {
    var limits: Limits { get }
    /// Whether a push is a write to our own database.
    ///
    /// Where it is, lease, push and result are one transaction: the device's stream is a table, and the insert of the
    /// event is the push. Where it is not, they are two short transactions around ``send(_:to:on:)``.
    var isTransactional: Bool { get }

    /// Sends one push to its token; called once per lease, outside of any transaction, and never where pushes are
    /// writes.
    ///
    /// It returns soon after its task was cancelled, which is how a send times out: `notSent` where the push was not
    /// sent, and `unknown` where it may have been.
    func send(_ push: Push, to card: Card, on device: Device) async -> PushResult
}

/// Server-sent events of `GET /v1/devices/{id}/stream`.
struct StreamTransport: Transport {
    var limits: Limits
    var isTransactional: Bool { true }

    func send(_ push: Push, to card: Card, on device: Device) async -> PushResult { .notSent("it is a write") }
}

/// The transports that this process has.
struct Transports: Sendable {
    let stream: StreamTransport
    /// Nil while no transport to Apple is configured.
    let apns: (any Transport)?

    /// - Returns: nil where this process has no transport to devices of that kind.
    func of(_ device: Device) -> (any Transport)? { of(device.transport) }

    func of(_ kind: Device.Transport) -> (any Transport)? {
        switch kind {
        case .stream: stream
        case .apns: apns
        }
    }
}
