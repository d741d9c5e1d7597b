internal import Synchronization

/// Whether graceful shutdown has begun; it never ends.
final class DrainState: Sendable {
    private let draining = Atomic(false)

    var isDraining: Bool { draining.load(ordering: .acquiring) }

    func begin() { draining.store(true, ordering: .releasing) }
}
