/// Where a process runs, and so what it may be started with.
package enum DeploymentEnvironment: String, CaseIterable, Sendable {
    /// The default. Sample secrets, and a clock rate other than 1, are refused.
    case production
    case demo
    case test

    /// True when nobody's groceries depend on this process.
    package var allowsSamples: Bool { self != .production }
}
