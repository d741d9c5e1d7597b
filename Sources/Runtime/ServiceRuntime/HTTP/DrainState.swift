internal import Synchronization

/// Whether a process has been asked to stop; once it has, it stays so.
final class DrainState: Sendable {
    private let draining = Atomic(false)

    var isDraining: Bool { draining.load(ordering: .acquiring) }

    func begin() { draining.store(true, ordering: .releasing) }
}
