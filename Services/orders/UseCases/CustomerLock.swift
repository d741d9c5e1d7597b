import OrderDomain

/// Work of which one customer has one piece at a time; the customer's others wait in memory.
///
/// The database would let them wait for the customer's lock too, but each with a connection that others need.
actor CustomerLock {
    /// The waiters by customer; a customer without work has no entry.
    private var waiting: [CustomerID: [CheckedContinuation<Void, Never>]] = [:]

    /// Does the work with the lock, which callers get in the order of their calls.
    func callAsFunction<Result: Sendable>(
        of customer: CustomerID, _ work: @Sendable () async throws -> Result
    ) async throws -> Result {
        await acquire(customer)
        defer { release(customer) }
        return try await work()
    }

    private func acquire(_ customer: CustomerID) async {
        if waiting[customer] == nil {
            waiting[customer] = []
        } else {
            await withCheckedContinuation { waiting[customer]?.append($0) }
        }
    }

    private func release(_ customer: CustomerID) {
        if waiting[customer]?.isEmpty == false {
            waiting[customer]?.removeFirst().resume()
        } else {
            waiting[customer] = nil
        }
    }
}
