import ArrivalEstimate
import DomainTime
import Foundation
import Logging
import Messages
import OrderDomain
import PostgresClient
import ServiceRuntime
import TestSupport
import Testing
import WireCoding

@testable import CourierETA

@Suite("Learning from history", .tags(.integration), .postgresSchema, .timeLimit(.minutes(10)))
struct TrainingHistoryTests {
    /// Seconds from one delivery's assignment to the next one's.
    private static let every = 900.0

    /// One delivery as the service lives through it: to the store, a wait, a fast ride of four minutes, a stay.
    private func track(_ number: Int, in harness: Harness) async throws {
        let begin = Double(number) * Self.every
        let courier = Courier(
            id: try #require(CourierID(rawValue: "courier-\(number % 7)")), name: "C", vehicle: .bicycle, phone: nil)
        var delivery = try Delivery.sample()
        func apply(_ change: DeliveryChange, at time: Double) async throws {
            harness.move(to: max(begin + time, harness.wall.now.timeIntervalSince(start)))
            try delivery.change(change, at: begin + time)
            try await harness.parts.applyDeliveryChange(delivery.changed(at: begin + time))
        }
        func receive(_ fixes: [Fix]) async throws {
            harness.move(to: try #require(fixes.last).time.timeIntervalSince(start))
            _ = try await harness.parts.ingestFixes(fixes, of: courier.id)
        }
        func fixes(from: Double, to: Double, speed: Double, _ share: (Double) -> Double) -> [Fix] {
            stride(from: from, through: to, by: 10).map {
                Fix(time: seconds(begin + $0), place: along(share($0)), accuracy: 10, speed: speed)
            }
        }
        let riding = 220 + Double(number * 13 % 5) * 10
        func onTheWay(_ time: Double) -> Double { (time - 200) / riding }
        try await apply(.courier(courier), at: 0)
        try await receive(
            fixes(from: 10, to: 70, speed: 4) { -0.2 * (70 - $0) / 60 }
                + fixes(from: 80, to: 190, speed: 0) { _ in 0 })
        try await apply(.override(.pickedUp, reason: "test"), at: 191)
        try await receive(fixes(from: 200, to: 300, speed: 12, onTheWay))
        try await receive(fixes(from: 310, to: 190 + riding, speed: 12, onTheWay))
        try await receive(fixes(from: 200 + riding, to: 200 + riding, speed: 0) { _ in 1 })
        try await apply(.milestone(.leftStore, assignmentEpoch: 1), at: 206 + riding)
        try await apply(.milestone(.arriving, assignmentEpoch: 1), at: 207 + riding)
        try await apply(.milestone(.atDoor, assignmentEpoch: 1), at: 208 + riding)
        try await receive(fixes(from: 210 + riding, to: 290 + riding, speed: 0) { _ in 1 })
        try await apply(.status(.delivered, reason: nil), at: 295 + riding)
    }

    private func summarize(_ harness: Harness, _ metrics: MetricsRegistry = MetricsRegistry()) async throws {
        let summarizing = SummarizeCompletedLegs(
            pool: harness.pool, clock: harness.wall.domain, metrics: metrics, logger: Logger(label: "test"))
        while try await summarizing.summarize(at: harness.wall.now) == SummarizeCompletedLegs.batchSize {}
        try await harness.retention.delete(at: harness.wall.now)
    }

    private func count(_ table: String, in harness: Harness) async throws -> Int {
        try await harness.pool.query("SELECT count(*) AS rows FROM \(raw: table)")[0].decode("rows")
    }

    @Test(
        "An ended delivery is summarized once, half an hour after its end, and the training data is deleted after 90 days"
    )
    func summarized() async throws {
        try await Harness.run { harness in
            let metrics = MetricsRegistry()
            try await track(0, in: harness)
            harness.move(to: 1_200)
            try await summarize(harness, metrics)
            #expect(try await count("completed_legs", in: harness) == 0)
            harness.move(to: 2_400)
            try await summarize(harness, metrics)
            try await summarize(harness, metrics)
            #expect(try await count("completed_legs", in: harness) == 1)
            #expect(try await count("completed_dwells", in: harness) == 2)
            #expect(metrics.exposition().contains("doorstep_completed_legs_total{outcome=\"kept\"} 1"))
            harness.move(to: 89 * 86_400)
            try await summarize(harness)
            #expect(try await count("completed_legs", in: harness) == 1)
            harness.move(to: 92 * 86_400)
            try await summarize(harness)
            #expect(try await count("completed_legs", in: harness) == 0)
            #expect(try await count("completed_dwells", in: harness) == 0)
        }
    }

    @Test("A row that cannot be read is skipped, and the others are summarized")
    func unreadable() async throws {
        try await Harness.run { harness in
            let metrics = MetricsRegistry()
            for number in 0..<2 { try await track(number, in: harness) }
            try await harness.pool.execute(
                """
                UPDATE deliveries SET snapshot = '{}'
                WHERE delivery_id = (SELECT delivery_id FROM deliveries ORDER BY ended_at LIMIT 1)
                """)
            harness.move(to: 10_000)
            try await summarize(harness, metrics)
            #expect(metrics.exposition().contains("doorstep_completed_legs_total{outcome=\"unreadable\"} 1"))
            #expect(metrics.exposition().contains("doorstep_completed_legs_total{outcome=\"kept\"} 1"))
        }
    }

    @Test(
        "From deliveries to the model that the service uses: summarized, fitted by the command line, installed, loaded")
    func wholePath() async throws {
        try await withDatabase(schema: "courier_eta") { configuration in
            try await Harness.run(on: configuration) { harness in
                let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).json").path
                defer { try? FileManager.default.removeItem(atPath: file) }
                let train = ["eta", "train", "--from-history", "--days", "30", "--model", file]
                func doorstep(_ arguments: [String]) async throws -> (ChildProcess.Exit, String) {
                    try await Self.doorstep(arguments, on: configuration, now: harness.wall.now)
                }
                for number in 0..<10 { try await track(number, in: harness) }
                harness.move(to: 10 * Self.every + 3_600)
                try await summarize(harness)
                let (refusal, why) = try await doorstep(train)
                #expect(refusal == .code(5) && !FileManager.default.fileExists(atPath: file))
                #expect(why.contains("the last 30 days hold 10 completed legs and 200 are needed"), "\(why)")

                for number in 20..<72 { try await track(number, in: harness) }
                harness.move(to: 80 * Self.every)
                try await summarize(harness)
                // What a model from before knows of orders is kept: the history has none of them.
                let before = try ArrivalModel.builtIn.knowing(Self.orders)
                try await harness.pool.execute(
                    "INSERT INTO estimate_models (format, rides, model) VALUES (1, 1, \(PostgresJSON(before)))")
                // Rows that nobody can read, and one of a later program's, which is left alone.
                try await harness.pool.execute(
                    """
                    INSERT INTO completed_legs (completed_on, format, leg)
                    SELECT completed_on, wrong.format, wrong.leg::jsonb
                    FROM (SELECT completed_on FROM completed_legs LIMIT 1) AS one,
                        (VALUES (1, '{}'), (1, '[1]'), (2, '{"new": true}')) AS wrong (format, leg)
                    """)
                let (trained, output) = try await doorstep(train + ["--at-least", "50"])
                #expect(trained == .code(0), "\(output)")
                #expect(
                    output.contains("fitted on 62 legs of 7 couriers in the last 30 days, and 124 dwells"), "\(output)")
                #expect(output.contains("2 legs of the history cannot be read"), "\(output)")
                let (installed, confirmation) = try await doorstep(["eta", "install", file])
                #expect(installed == .code(0), "\(confirmation)")

                let models = EstimateModelLoader(pool: harness.pool, logger: Logger(label: "test"))
                #expect(try await models.load())
                let model = models.estimator.model
                #expect(model.rides == 62 && model.orders == before.orders && model.orders != nil)
                // Couriers stayed two minutes at the store and a hundred seconds at the door here, and rode straight.
                #expect((115...160).contains(model.dwell.storeSeconds("nordhavn")))
                #expect((90...115).contains(model.dwell.doorSeconds))
                #expect(model.detours.metres(.bicycle, straight: 2_900) < 2_900 * 1.15)
            }
        }
    }

    private static var orders: [(order: UpcomingOrder, seconds: Double)] {
        (0..<60).map { number in
            (UpcomingOrder(store: "nordhavn", hour: Double(number % 24), weekday: 1 + number % 7), 2_400)
        }
    }

    private static func doorstep(
        _ arguments: [String], on configuration: PostgresConfiguration, now: Date
    ) async throws -> (ChildProcess.Exit, String) {
        let tests = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
        let beside = tests.appending(path: "doorstep").path
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let program =
            FileManager.default.isExecutableFile(atPath: beside)
            ? beside : root.appending(path: ".build/debug/doorstep").path
        let password = configuration.password.map { ":\($0)" } ?? ""
        let server = "\(configuration.user)\(password)@\(configuration.host):\(configuration.port)"
        return try await ChildProcess.run(
            program, arguments,
            environment: [
                "DATABASE_URL": "postgres://\(server)/\(configuration.database)", "ENVIRONMENT": "test",
                "CLOCK_ORIGIN": WireJSON.text(of: now), "CLOCK_WALL_ORIGIN": WireJSON.text(of: Date()),
                "PATH": ProcessInfo.processInfo.environment["PATH"] ?? "",
            ])
    }
}

extension ArrivalModel {
    /// The same model with one of orders beside it.
    fileprivate func knowing(_ orders: [(order: UpcomingOrder, seconds: Double)]) throws -> ArrivalModel {
        var document = try #require(
            try JSONSerialization.jsonObject(with: try json()) as? [String: Any])
        document["orders"] = try JSONSerialization.jsonObject(
            with: try JSONEncoder().encode(try OrderModel.fit(orders)))
        return try ArrivalModel(json: try JSONSerialization.data(withJSONObject: document))
    }
}
