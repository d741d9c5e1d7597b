internal import Synchronization

/// An object to which the C library holds a pointer.
protocol CallbackContext: AnyObject {
    var live: LiveContexts { get }
}

/// The number of one client's callback contexts that the C library holds; 0 once the client is closed.
final class LiveContexts: Sendable {
    private let number = Atomic<Int>(0)

    /// Contexts retained for the C library and not yet released by its last callback.
    var count: Int { number.load(ordering: .sequentiallyConsistent) }

    /// A pointer the C library may keep, which owns `context` until ``release(_:as:)``.
    static func retain(_ context: some CallbackContext) -> UnsafeMutableRawPointer {
        context.live.number.add(1, ordering: .sequentiallyConsistent)
        return Unmanaged.passRetained(context).toOpaque()
    }

    /// Releases the context that ``retain(_:)`` retained; the C library must not use the pointer any more.
    static func release<Context: CallbackContext>(_ pointer: UnsafeMutableRawPointer, as type: Context.Type) {
        let context = Unmanaged<Context>.fromOpaque(pointer).takeRetainedValue()
        context.live.number.subtract(1, ordering: .sequentiallyConsistent)
    }

    /// The context behind `pointer`, still owned by the C library.
    static func borrow<Context: CallbackContext>(_ pointer: UnsafeMutableRawPointer, as type: Context.Type) -> Context {
        Unmanaged<Context>.fromOpaque(pointer).takeUnretainedValue()
    }
}
