import TestSupport

/// Lets clients send requests, or has all of them wait between two.
actor Gate {
    private var isOpen = true
    private var hasEnded = false
    private var busyCount = 0
    private var waiting: [CheckedContinuation<Void, Never>] = []
    private var closing: [CheckedContinuation<Void, Never>] = []

    /// Runs a step once the gate is open.
    ///
    /// - Throws: `CancellationError` after the end, or what the step throws.
    nonisolated func pass<Value: Sendable>(_ step: @Sendable () async throws -> Value) async throws -> Value {
        try await enter()
        return try await withTeardown({ await leave() }, step)
    }

    private func enter() async throws {
        while !isOpen, !hasEnded { await withCheckedContinuation { waiting.append($0) } }
        if hasEnded { throw CancellationError() }
        busyCount += 1
    }

    private func leave() {
        busyCount -= 1
        guard busyCount == 0 else { return }
        for continuation in closing { continuation.resume() }
        closing = []
    }

    func open() {
        isOpen = true
        release()
    }

    /// Returns when every step under way is over.
    func close() async {
        isOpen = false
        if busyCount > 0 { await withCheckedContinuation { closing.append($0) } }
    }

    /// Lets nobody through any more.
    func end() {
        hasEnded = true
        release()
    }

    private func release() {
        for continuation in waiting { continuation.resume() }
        waiting = []
    }
}
