import Foundation
import Synchronization

@testable import ActivityDispatch

/// A transport after whose next sends something happens before their results are recorded.
final class InterruptedTransport: Transport {
    private let inner: any Transport
    private let devices = Mutex<Set<String>>([])
    private let goneCards = Mutex<Set<UUID>>([])
    private let interruption = Mutex<(count: Int, body: @Sendable () async -> Void)?>(nil)

    init(_ inner: any Transport) { self.inner = inner }

    var limits: Limits { inner.limits }
    var isTransactional: Bool { false }

    /// Has `body` happen after each of the next sends.
    func interrupt(_ count: Int = 1, _ body: @escaping @Sendable () async -> Void) {
        interruption.withLock { $0 = (count, body) }
    }

    /// Devices that were pushed to since this was last called.
    func takeDevices() -> Set<String> {
        devices.withLock { devices in
            defer { devices = [] }
            return devices
        }
    }

    /// Cards whose update tokens were called gone since this was last called.
    func takeGoneCards() -> Set<UUID> {
        goneCards.withLock { cards in
            defer { cards = [] }
            return cards
        }
    }

    func send(_ push: Push, to card: Card, on device: Device) async -> PushResult {
        devices.withLock { _ = $0.insert(device.id.rawValue) }
        let result = await inner.send(push, to: card, on: device)
        if case .gone = result, push.event != .start { goneCards.withLock { _ = $0.insert(push.card) } }
        let body = interruption.withLock { next -> (@Sendable () async -> Void)? in
            guard let (count, body) = next else { return nil }
            next = count > 1 ? (count - 1, body) : nil
            return body
        }
        await body?()
        return result
    }
}
