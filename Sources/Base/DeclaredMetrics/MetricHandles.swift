internal import Synchronization

/// A cache of a metric's series handles by label values, because a look-up in the backend costs more than counting.
///
/// The cache never evicts: use it only for keys whose number is bounded.
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
