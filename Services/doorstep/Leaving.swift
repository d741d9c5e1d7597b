/// The person left, or everything has ended.
struct Leaving: Error {}

/// Runs tasks until the first ends or fails, and cancels the others.
///
/// - Throws: the error of that task, unless it is ``Leaving``.
func withTasksUntilLeaving(_ addTasks: (inout ThrowingTaskGroup<Void, any Error>) -> Void) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
        addTasks(&group)
        defer { group.cancelAll() }
        do {
            try await group.next()
        } catch is Leaving {
            return
        }
    }
}
