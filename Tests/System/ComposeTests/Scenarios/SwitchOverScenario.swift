import OrderDomain
import SimulationSupport
import TestSupport
import Testing

extension ComposeTests {
    /// Of a scaled stack, which has a standby.
    @Suite("A standby is promoted", .enabled(if: ComposeStack.Settings.ofProcess?.isScaled == true))
    struct SwitchOverScenario {
        /// Wall seconds from the promotion to the next order that a shop places.
        private static let writesWithin = 10.0

        @Test("Postgres killed and its standby promoted in the middle of ten deliveries", .timeLimit(.minutes(6)))
        func promotion() async throws {
            try await runScenario("Postgres switched over to its standby") { simulation in
                let stack = simulation.stack
                try await stack.standbyHasEverything()
                let ended = try await simulation.runDeliveries {
                    try await eventually("three are picked up") { simulation.progress.count(.pickedUp) >= 3 }
                    try await stack.kill9("postgres")
                    try await stack.promoteStandby()
                    try await simulation.expectOrderIsPlaced(within: Self.writesWithin)
                    try await stack.waitUntilReady()
                }
                return ["killed with three on the way, the standby promoted, every service ready again"]
                    + (try await simulation.expectInvariants(ended))
            }
        }
    }
}
