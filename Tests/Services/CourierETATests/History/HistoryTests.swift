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
struct HistoryTests {
    /// Seconds from one delivery's assignment to the next one's.
    private static let every = 900.0

    /// One delivery as the service lives through it: to the store, a wait, a fast ride of four minutes, a stay.
    private func live(_ number: Int, in harness: Harness) async throws {
        let begin = Double(number) * Self.every
        let courier = Courier(
            id: try #require(CourierID(rawValue: "courier-\(number % 7)")), name: "C", vehicle: .bicycle, phone: nil)
        var delivery = try Delivery.sample()
        func say(_ change: DeliveryChange, at time: Double) async throws {
            harness.move(to: max(begin + time, harness.wall.now.timeIntervalSince(start)))
            try delivery.change(change, at: begin + time)
            try await harness.parts.takeDelivery(delivery.said(at: begin + time))
        }
        func hear(_ fixes: [Fix]) async throws {
            harness.move(to: try #require(fixes.last).time.timeIntervalSince(start))
            _ = try await harness.parts.takeFixes(fixes, of: courier.id)
        }
        func fixes(from: Double, to: Double, speed: Double, _ share: (Double) -> Double) -> [Fix] {
            stride(from: from, through: to, by: 10).map {
                Fix(time: seconds(begin + $0), place: along(share($0)), accuracy: 10, speed: speed)
            }
        }
        let riding = 220 + Double(number * 13 % 5) * 10
        func onTheWay(_ time: Double) -> Double { (time - 200) / riding }
        try await say(.courier(courier), at: 0)
        try await hear(
            fixes(from: 10, to: 70, speed: 4) { -0.2 * (70 - $0) / 60 }
                + fixes(from: 80, to: 190, speed: 0) { _ in 0 })
        try await say(.override(.pickedUp, reason: "test"), at: 191)
        try await hear(fixes(from: 200, to: 300, speed: 12, onTheWay))
        try await hear(fixes(from: 310, to: 190 + riding, speed: 12, onTheWay))
        try await hear(fixes(from: 200 + riding, to: 200 + riding, speed: 0) { _ in 1 })
        try await say(.milestone(.leftStore, assignmentEpoch: 1), at: 206 + riding)
        try await say(.milestone(.arriving, assignmentEpoch: 1), at: 207 + riding)
        try await say(.milestone(.atDoor, assignmentEpoch: 1), at: 208 + riding)
        try await hear(fixes(from: 210 + riding, to: 290 + riding, speed: 0) { _ in 1 })
        try await say(.status(.delivered, reason: nil), at: 295 + riding)
    }

    private func reduce(_ harness: Harness, _ metrics: MetricsRegistry = MetricsRegistry()) async throws {
        let reducing = ReduceFinished(
            pool: harness.pool, clock: harness.wall.domain, metrics: metrics, logger: Logger(label: "test"))
        while try await reducing.reduce(at: harness.wall.now) == ReduceFinished.batchSize {}
        try await reducing.drop(at: harness.wall.now)
    }

    private func count(_ table: String, in harness: Harness) async throws -> Int {
        try await harness.pool.query("SELECT count(*) AS rows FROM \(raw: table)")[0].decode("rows")
    }

    @Test("An ended delivery is reduced once, half an hour after its end, and what is kept goes after a season")
    func reduced() async throws {
        try await Harness.run { harness in
            let metrics = MetricsRegistry()
            try await live(0, in: harness)
            harness.move(to: 1_200)
            try await reduce(harness, metrics)
            #expect(try await count("finished_ways", in: harness) == 0)
            harness.move(to: 2_400)
            try await reduce(harness, metrics)
            try await reduce(harness, metrics)
            #expect(try await count("finished_ways", in: harness) == 1)
            #expect(try await count("finished_stays", in: harness) == 2)
            #expect(metrics.exposition().contains("finished_ways_total{outcome=\"kept\"} 1"))
            harness.move(to: 89 * 86_400)
            try await reduce(harness)
            #expect(try await count("finished_ways", in: harness) == 1)
            harness.move(to: 92 * 86_400)
            try await reduce(harness)
            #expect(try await count("finished_ways", in: harness) == 0)
            #expect(try await count("finished_stays", in: harness) == 0)
        }
    }

    @Test("A row that cannot be read is passed over, and the others are reduced")
    func unreadable() async throws {
        try await Harness.run { harness in
            let metrics = MetricsRegistry()
            for number in 0..<2 { try await live(number, in: harness) }
            try await harness.pool.execute(
                """
                UPDATE deliveries SET snapshot = '{}'
                WHERE delivery_id = (SELECT delivery_id FROM deliveries ORDER BY ended_at LIMIT 1)
                """)
            harness.move(to: 10_000)
            try await reduce(harness, metrics)
            #expect(metrics.exposition().contains("finished_ways_total{outcome=\"unreadable\"} 1"))
            #expect(metrics.exposition().contains("finished_ways_total{outcome=\"kept\"} 1"))
        }
    }

    @Test("From deliveries to the model that the service uses: reduced, fitted by the command line, installed, loaded")
    func wholePath() async throws {
        try await withDatabase { configuration in
            try await Harness.run(on: configuration) { harness in
                let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).json").path
                defer { try? FileManager.default.removeItem(atPath: file) }
                let train = ["eta", "train", "--from-history", "--days", "30", "--model", file]
                func doorstep(_ arguments: [String]) async throws -> (ChildProcess.Exit, String) {
                    try await Self.doorstep(arguments, on: configuration, now: harness.wall.now)
                }
                for number in 0..<10 { try await live(number, in: harness) }
                harness.move(to: 10 * Self.every + 3_600)
                try await reduce(harness)
                let (refusal, why) = try await doorstep(train)
                #expect(refusal == .code(5) && !FileManager.default.fileExists(atPath: file))
                #expect(why.contains("the last 30 days hold 10 finished ways and 200 are needed"), "\(why)")

                for number in 20..<72 { try await live(number, in: harness) }
                harness.move(to: 80 * Self.every)
                try await reduce(harness)
                // What a model from before knows of orders is kept: the history has none of them.
                let before = try ArrivalModel.builtIn.knowing(Self.orders)
                try await harness.pool.execute(
                    "INSERT INTO estimate_models (format, rides, model) VALUES (1, 1, \(PostgresJSON(before)))")
                // Rows that nobody can read, and one of a later program's, which is left alone.
                try await harness.pool.execute(
                    """
                    INSERT INTO finished_ways (finished_on, format, way)
                    SELECT finished_on, wrong.format, wrong.way::jsonb
                    FROM (SELECT finished_on FROM finished_ways LIMIT 1) AS one,
                        (VALUES (1, '{}'), (1, '[1]'), (2, '{"new": true}')) AS wrong (format, way)
                    """)
                let (trained, said) = try await doorstep(train + ["--at-least", "50"])
                #expect(trained == .code(0), "\(said)")
                #expect(said.contains("fitted on 62 ways of 7 couriers in the last 30 days, and 124 stays"), "\(said)")
                #expect(said.contains("2 ways of the history cannot be read"), "\(said)")
                let (installed, words) = try await doorstep(["eta", "install", file])
                #expect(installed == .code(0), "\(words)")

                let models = EstimateModels(pool: harness.pool, logger: Logger(label: "test"))
                #expect(try await models.load())
                let model = models.estimator.model
                #expect(model.rides == 62 && model.orders == before.orders && model.orders != nil)
                // Couriers stayed two minutes at the store and a hundred seconds at the door here, and rode straight.
                #expect((115...160).contains(model.stays.storeSeconds("nordhavn")))
                #expect((90...115).contains(model.stays.doorSeconds))
                #expect(model.detours.metres(.bicycle, straight: 2_900) < 2_900 * 1.15)
            }
        }
    }

    private static var orders: [(order: OrderAhead, seconds: Double)] {
        (0..<60).map { number in
            (OrderAhead(store: "nordhavn", hour: Double(number % 24), weekday: 1 + number % 7), 2_400)
        }
    }

    private static func doorstep(
        _ arguments: [String], on configuration: PostgresConfiguration, now: Date
    ) async throws -> (ChildProcess.Exit, String) {
        let tests = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
        let beside = tests.appending(path: "doorstep").path
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
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

    /// Runs the body with a database of its own, where the schema has its real name.
    private func withDatabase(_ body: (PostgresConfiguration) async throws -> Void) async throws {
        let admin = PostgresPool(TestPostgres.current, logger: Logger(label: "test"))
        let name = "history_" + UUID().uuidString.prefix(8).lowercased()
        try await admin.execute("CREATE DATABASE \(raw: name)")
        var configuration = TestPostgres.current
        configuration.database = name
        configuration.schema = "courier_eta"
        let result: Result<Void, any Error>
        do {
            result = .success(try await body(configuration))
        } catch {
            result = .failure(error)
        }
        try await admin.execute("DROP DATABASE \(raw: name) WITH (FORCE)")
        await admin.shutDown()
        try result.get()
    }
}

extension ArrivalModel {
    /// The same model with one of orders beside it.
    fileprivate func knowing(_ orders: [(order: OrderAhead, seconds: Double)]) throws -> ArrivalModel {
        var document = try #require(
            try JSONSerialization.jsonObject(with: try json()) as? [String: Any])
        document["orders"] = try JSONSerialization.jsonObject(
            with: try JSONEncoder().encode(try OrderModel.fit(orders)))
        return try ArrivalModel(json: try JSONSerialization.data(withJSONObject: document))
    }
}
