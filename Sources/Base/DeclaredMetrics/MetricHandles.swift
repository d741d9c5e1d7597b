internal import Synchronization

/// The handles of a metric's series by what their labels say, each made once: looking one up in the backend costs more
/// than counting.
///
/// It keeps every key that it was asked for, so keys are what a process has a bounded number of.
package final class MetricHandles<Key: Hashable & Sendable, Handle: Sendable>: Sendable {
    private let make: @Sendable (Key) -> Handle
    private let handles = Mutex<[Key: Handle]>([:])

    /// - Parameter make: makes the handle of one series.
    package init(_ make: @escaping @Sendable (Key) -> Handle) { self.make = make }

    package subscript(key: Key) -> Handle {
        if let handle = handles.withLock({ $0[key] }) { return handle }
        let handle = make(key)
        return handles.withLock { handles in
            if let first = handles[key] { return first }
            handles[key] = handle
            return handle
        }
    }
}
