import Foundation
import Synchronization

@testable import ActivityDispatch

/// A transport after whose next send something happens before its result is recorded.
final class InterruptedTransport: Transport {
    private let inner: any Transport
    private let devices = Mutex<Set<String>>([])
    private let goneCards = Mutex<Set<UUID>>([])
    private let interruption = Mutex<(@Sendable () async -> Void)?>(nil)

    init(_ inner: any Transport) { self.inner = inner }

    var limits: Limits { inner.limits }
    var isTransactional: Bool { false }

    /// Has `body` happen after the next send.
    func interrupt(_ body: @escaping @Sendable () async -> Void) { interruption.withLock { $0 = body } }

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
            defer { next = nil }
            return next
        }
        await body?()
        return result
    }
}
