import NIOCore

/// A body that never comes to its end, and says when it is waited for.
struct EndlessBody: AsyncSequence, Sendable {
    let awaited: AsyncStream<Void>.Continuation

    struct Iterator: AsyncIteratorProtocol {
        let awaited: AsyncStream<Void>.Continuation

        mutating func next() async throws -> ByteBuffer? {
            awaited.finish()
            try await Task.sleep(for: .seconds(3_600))
            return nil
        }
    }

    func makeAsyncIterator() -> Iterator { Iterator(awaited: awaited) }
}
