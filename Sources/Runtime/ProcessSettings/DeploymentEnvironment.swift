/// A process's environment, which decides the legal settings.
package enum DeploymentEnvironment: String, CaseIterable, Sendable {
    /// The default. Sample secrets, and a clock rate other than 1, are refused.
    case production
    case demo
    case test

    /// True outside production.
    package var allowsSamples: Bool { self != .production }
}
