import DoorstepAPI
import Foundation
import LiveActivity
import OrderDomain
import PhoneRules
import SimulationSupport
import TestSupport
import Testing

extension ComposeTests {
    @Suite("Postgres is restored")
    struct RestoredDatabaseScenario {
        /// Wall seconds within which every screen is right again.
        private static let resyncSecondsMax = 90.0

        @Test("Postgres restored from a back-up taken in the middle of the evening", .timeLimit(.minutes(6)))
        func fromBackUp() async throws {
            let basket = Simulation.Basket(customer: "mette", endings: [.delivered])
            try await runScenario("Postgres restored from a back-up", [basket]) { simulation in
                // One that has ended when the back-up is taken.
                let early = try await simulation.place(basket, number: 6, routes: [.synthetic(6)])
                let endedDelivery = try #require(early.deliveries.first)
                let first = simulation.deliveryRun(
                    endedDelivery, courier: "courier-6", route: .synthetic(6), ending: .delivered)
                try await first.prepare()
                try await first.report(.pickedUp)
                try await first.handOver()
                for device in simulation.devices {
                    try await eventually("\(device.id) shows the first end", explain: { await simulation.screenLog }) {
                        await device.screen.cards(of: endedDelivery.id.rawValue).contains(where: \.hasEnded)
                    }
                }

                // Five deliveries on the way.
                var runs: [DeliveryRun] = []
                for number in 0..<5 {
                    let order = try await simulation.place(basket, number: number, routes: [.synthetic(number)])
                    let delivery = try #require(order.deliveries.first)
                    let run = simulation.deliveryRun(
                        delivery, courier: "courier-\(number)", route: .synthetic(number), ending: .delivered)
                    try await run.prepare()
                    try await run.report(.pickedUp)
                    runs.append(run)
                }
                let file = "/tmp/doorstep-\(UUID().uuidString).dump"
                defer { unlink(file) }
                try await simulation.stack.backUp(to: file)

                // After the back-up: two are handed over, and another order is placed.
                for run in runs[0..<2] { try await run.handOver() }
                let lost = try await simulation.place(basket, number: 5, routes: [.synthetic(5)])
                for device in simulation.devices {
                    try await eventually("\(device.id) shows two ends", explain: { await simulation.screenLog }) {
                        await device.screen.cards.values.count { $0.delivery != nil && $0.hasEnded } == 3
                    }
                }
                let seen = await simulation.newest(of: endedDelivery.id.rawValue)
                try await simulation.stack.restore(from: file)

                // The shop repeats what was acknowledged since, as the runbook asks: the same key, the same order.
                let again = try await simulation.place(basket, number: 5, routes: [.synthetic(5)])
                #expect(again.deliveries.count == lost.deliveries.count)
                var ended: [Simulation.Ended] = []
                for run in runs {
                    try await run.handOver()
                    ended.append(try await simulation.ended(run.id, .delivered))
                }
                #expect(ended.allSatisfy { $0.delivery.status == .delivered }, "every acknowledged delivery is there")
                for one in ended {
                    for device in simulation.devices {
                        try await eventually(
                            "\(device.id) shows the end", within: Self.resyncSecondsMax,
                            explain: { await simulation.screenLog }
                        ) {
                            let screen = await device.screen
                            // What had ended before the restore may have left the screen before it: that is its end.
                            return screen.cards(of: one.delivery.id.rawValue).contains {
                                $0.hasEnded || screen.phone[card: $0.card]?.state.isLive == false
                            }
                        }
                    }
                }
                // The last end came behind the resync of each service, which is complete by now.
                let now = await simulation.newest(of: endedDelivery.id.rawValue)
                #expect(now == seen, "the newest push on each screen about the delivery that had ended")
                let dead = try await simulation.deadLetters()
                #expect(dead.isEmpty, "dead letters: \(dead)")
                return [
                    "what had ended before the back-up stayed ended: no screen received anything new about it",
                    "no dead letters in any service",
                    "the five deliveries of the back-up are there, and each screen shows how each ended",
                    "the order placed after the back-up is accepted again under its key",
                ]
            }
        }
    }
}

extension Simulation {
    /// The newest push of a delivery on each screen, in the order of the devices.
    ///
    /// A stream that resumes before the position of its reader repeats the last push of each card, for a reader that has
    /// none of them; a phone ignores what is no newer than what it shows.
    fileprivate func newest(of delivery: String) async -> [String] {
        var newest: [String] = []
        for device in devices {
            let pushes = await device.screen.cards(of: delivery).flatMap(\.pushes)
            let last = pushes.max { $0.timestamp < $1.timestamp }
            newest.append(
                last.map { "\($0.event.rawValue) \($0.content.headline.code) at \($0.timestamp)" } ?? "nothing")
        }
        return newest
    }
}

extension ComposeStack {
    /// as in docs/operations.md.
    fileprivate func backUp(to file: String) async throws {
        let exit = try await ChildProcess(
            Docker.root.appending(path: "Infra/docker/compose").path,
            ["exec", "-T", "postgres", "pg_dump", "--format=custom", "--username", "doorstep", "doorstep"],
            environment: docker.environment, standardOutput: .file(file)
        ).wait()
        #expect(exit == .code(0))
    }

    fileprivate func restore(from file: String) async throws {
        let services = ServiceName.allCases.flatMap(replicas(of:))
        try await docker.compose(["stop"] + services)
        for arguments in [
            ["dropdb", "--force", "--username", "doorstep", "doorstep"],
            ["createdb", "--username", "doorstep", "doorstep"],
        ] { try await docker.compose(["exec", "-T", "postgres"] + arguments) }
        let (succeeded, output) = try await docker.compose(
            ["exec", "-T", "postgres", "pg_restore", "--username", "doorstep", "--dbname", "doorstep"],
            readingFrom: file)
        guard succeeded else { throw Docker.Failed(description: output) }
        // The restored services would apply messages that are newer than their database.
        try await rebuildStreams(["--without-republish"])
        // Runs the jobs again: roles' settings in the database, migrations and streams.
        try await up()
        try await waitUntilReady()
        try await rebuildStreams()
    }
}
