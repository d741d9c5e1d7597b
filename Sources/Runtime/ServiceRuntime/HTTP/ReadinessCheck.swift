internal import FlowControl

/// A dependency of a service, and whether the service can serve without it.
package struct ReadinessCheck: Sendable {
    /// The dependency's name in `/health/ready`, such as `postgres`.
    package let name: String
    /// Whether the service is not ready without it; else it serves on, and catches up when it is back.
    package let isRequired: Bool
    /// Throws when it is not there.
    ///
    /// The error's description is shown, so it must hold no secret.
    package let check: @Sendable () async throws -> Void

    package init(name: String, isRequired: Bool = true, check: @escaping @Sendable () async throws -> Void) {
        self.name = name
        self.isRequired = isRequired
        self.check = check
    }
}

/// The answer of `/health/ready`.
package struct ReadinessReport: Codable, Hashable, Sendable {
    package struct Check: Codable, Hashable, Sendable {
        package let name: String
        /// `ready`, `failed`, or `degraded` where the service serves without it.
        package let status: String
        package let error: String?
    }

    /// `ready`, `not_ready` or `draining`.
    package let status: String
    package let checks: [Check]
}

extension ReadinessReport {
    init(_ checks: [Check], isDraining: Bool) {
        let isReady = !checks.contains { $0.status == "failed" }
        self.init(status: isDraining ? "draining" : isReady ? "ready" : "not_ready", checks: checks)
    }
}

/// Runs all checks at once; one that does not answer within `limit` has failed.
func readinessResults(
    _ checks: [ReadinessCheck], limit: Duration = .seconds(2)
) async -> [ReadinessReport.Check] {
    let results = await withTaskGroup(of: (Int, String?).self) { group in
        for (index, check) in checks.enumerated() {
            group.addTask { (index, await failure(of: check, limit: limit)) }
        }
        var results = [String?](repeating: nil, count: checks.count)
        for await (index, error) in group { results[index] = error }
        return results
    }
    return zip(checks, results).map { check, error in
        ReadinessReport.Check(
            name: check.name, status: error == nil ? "ready" : check.isRequired ? "failed" : "degraded", error: error)
    }
}

private func failure(of check: ReadinessCheck, limit: Duration) async -> String? {
    do {
        let answer: Void? = try await withTimeLimit(limit, check.check)
        return answer == nil ? "no answer within \(limit)" : nil
    } catch {
        return String(describing: error)
    }
}
