internal import Dispatch
internal import Synchronization

/// The threads that decode large bodies, so that no other request waits for them.
package let decodingThreads = DecodingThreads(count: 2)

/// A few dedicated threads for long computations without I/O.
///
/// Each runs one job at a time; the admission of requests bounds the number of waiting jobs.
package final class DecodingThreads: Sendable {
    /// Bytes up to which a body is decoded where the caller is: less than a millisecond.
    static let inPlaceBytesMax = 16 * 1024

    private let queues: [DispatchQueue]
    private let turn = Atomic(0)

    init(count: Int) { queues = (1...count).map { DispatchQueue(label: "decoding-\($0)") } }

    /// - Parameter bytes: the length of the decoded data.
    /// - Throws: the error of `work`.
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
