import DoorstepAPI
import Foundation
import LiveActivity
import OrderDomain
import TestSupport
import Testing
import TownSupport

extension ComposeTests {
    @Suite("Postgres is restored")
    struct RestoredDatabaseStory {
        /// Wall seconds in which every screen is right again.
        private static let healedSeconds = 90.0

        @Test("Postgres restored from a back-up taken in the middle of the evening", .timeLimit(.minutes(6)))
        func fromBackUp() async throws {
            let basket = Town.Basket(customer: "mette", endings: [.delivered])
            try await story("Postgres restored from a back-up", [basket]) { town in
                // One that is over when the back-up is taken.
                let early = try await town.place(basket, number: 6, routes: [.ours(6)])
                let over = try #require(early.deliveries.first)
                let first = town.run(over, courier: "courier-6", route: .ours(6), ending: .delivered)
                try await first.prepare()
                try await first.press(.pickedUp)
                try await first.handOver()
                for watcher in town.watchers {
                    try await eventually("\(watcher.device) shows the first end", explain: { await town.story }) {
                        await watcher.screen.cards(of: over.id.rawValue).contains(where: \.hasEnded)
                    }
                }

                // Five deliveries on the road.
                var runs: [Run] = []
                for number in 0..<5 {
                    let order = try await town.place(basket, number: number, routes: [.ours(number)])
                    let delivery = try #require(order.deliveries.first)
                    let run = town.run(delivery, courier: "courier-\(number)", route: .ours(number), ending: .delivered)
                    try await run.prepare()
                    try await run.press(.pickedUp)
                    runs.append(run)
                }
                let file = "/tmp/doorstep-\(UUID().uuidString).dump"
                defer { unlink(file) }
                try await town.stack.backUp(to: file)

                // What the back-up knows nothing of: two are handed over, and another order is placed.
                for run in runs[0..<2] { try await run.handOver() }
                let lost = try await town.place(basket, number: 5, routes: [.ours(5)])
                for watcher in town.watchers {
                    try await eventually("\(watcher.device) shows two ends", explain: { await town.story }) {
                        await watcher.screen.cards.values.count { $0.delivery != nil && $0.hasEnded } == 3
                    }
                }
                let seen = await town.newest(of: over.id.rawValue)
                try await town.stack.restore(from: file)

                // The shop says again what it had been answered since, as the runbook asks; the same key, the same order.
                let again = try await town.place(basket, number: 5, routes: [.ours(5)])
                #expect(again.deliveries.count == lost.deliveries.count)
                var ended: [Town.Ended] = []
                for run in runs {
                    try await run.handOver()
                    ended.append(try await town.ended(run.id, .delivered))
                }
                #expect(ended.allSatisfy { $0.delivery.status == .delivered }, "every acknowledged delivery is there")
                for one in ended {
                    for watcher in town.watchers {
                        try await eventually(
                            "\(watcher.device) shows the end", within: Self.healedSeconds, explain: { await town.story }
                        ) {
                            await watcher.screen.cards(of: one.delivery.id.rawValue).contains(where: \.hasEnded)
                        }
                    }
                }
                // Each service has said again all it knows by now, behind which the last end came.
                let now = await town.newest(of: over.id.rawValue)
                #expect(now == seen, "the newest that each screen was told of what was over")
                let dead = try await town.deadLetters()
                #expect(dead.isEmpty, "dead letters: \(dead)")
                return [
                    "what was over before the back-up stayed over: no screen was told anything new of it",
                    "no dead letters in any service",
                    "the five deliveries of the back-up are there, and each screen shows how each ended",
                    "the order placed after the back-up is taken again under its key",
                ]
            }
        }
    }
}

extension Town {
    /// The newest that each screen was told of a delivery, in the order of the devices.
    ///
    /// A stream that resumes before where its reader was says its cards' last words again, for a reader who has had
    /// nothing of them; a phone passes over what is no newer than what it shows.
    fileprivate func newest(of delivery: String) async -> [String] {
        var newest: [String] = []
        for watcher in watchers {
            let pushes = await watcher.screen.cards(of: delivery).flatMap(\.pushes)
            let last = pushes.max { $0.timestamp < $1.timestamp }
            newest.append(
                last.map { "\($0.event.rawValue) \($0.content.headline.code) at \($0.timestamp)" } ?? "nothing")
        }
        return newest
    }
}

extension Containers {
    /// As docs/operations.md has it.
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
        for words in [
            ["dropdb", "--force", "--username", "doorstep", "doorstep"],
            ["createdb", "--username", "doorstep", "doorstep"],
        ] { try await docker.compose(["exec", "-T", "postgres"] + words) }
        let (succeeded, output) = try await docker.compose(
            ["exec", "-T", "postgres", "pg_restore", "--username", "doorstep", "--dbname", "doorstep"],
            readingFrom: file)
        guard succeeded else { throw Docker.Failed(description: output) }
        // Roles' settings in the database, migrations and streams: the jobs, once more.
        try await up()
        try await everythingIsReady()
        try await rebuildStreams()
    }
}
