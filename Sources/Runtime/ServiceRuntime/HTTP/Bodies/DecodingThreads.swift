internal import Dispatch
internal import Synchronization

/// Where large bodies are decoded, so that no other request waits for it.
package let decodingThreads = DecodingThreads(count: 2)

/// A few threads of their own for work that takes long and waits for nothing.
///
/// Each does one piece of work after the other; how many may wait is bounded by whoever admits requests.
package final class DecodingThreads: Sendable {
    /// Bytes up to which a body is decoded where the caller is: less than a millisecond.
    static let inPlaceBytesMax = 16 * 1024

    private let queues: [DispatchQueue]
    private let turn = Atomic(0)

    init(count: Int) { queues = (1...count).map { DispatchQueue(label: "decoding-\($0)") } }

    /// - Parameter bytes: the length of what is decoded.
    /// - Throws: what the work throws.
    package func run<Value: Sendable>(
        bytes: Int, _ work: @escaping @Sendable () throws -> Value
    ) async throws -> Value {
        guard bytes > Self.inPlaceBytesMax else { return try work() }
        let next = turn.wrappingAdd(1, ordering: .relaxed).newValue
        return try await withCheckedThrowingContinuation { continuation in
            queues[abs(next % queues.count)].async { continuation.resume(with: Result { try work() }) }
        }
    }
}
