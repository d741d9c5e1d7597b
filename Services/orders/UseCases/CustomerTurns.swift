import OrderDomain

/// Work of which one customer has one piece at a time; the customer's others wait in memory.
///
/// The database would let them wait for the customer's lock too, but each with a connection that others need.
actor CustomerTurns {
    /// Who waits, by customer; a customer without work has no entry.
    private var waiting: [CustomerID: [CheckedContinuation<Void, Never>]] = [:]

    /// Does the work when it is its turn, in the order of the calls.
    func callAsFunction<Result: Sendable>(
        of customer: CustomerID, _ work: @Sendable () async throws -> Result
    ) async throws -> Result {
        await begin(customer)
        defer { end(customer) }
        return try await work()
    }

    private func begin(_ customer: CustomerID) async {
        if waiting[customer] == nil {
            waiting[customer] = []
        } else {
            await withCheckedContinuation { waiting[customer]?.append($0) }
        }
    }

    private func end(_ customer: CustomerID) {
        if waiting[customer]?.isEmpty == false {
            waiting[customer]?.removeFirst().resume()
        } else {
            waiting[customer] = nil
        }
    }
}
