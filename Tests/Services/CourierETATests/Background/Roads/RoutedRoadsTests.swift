import ArrivalEstimate
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import NIOCore
import OrderDomain
import ServiceRuntime
import Synchronization
import TestSupport
import Testing

@testable import CourierETA

@Suite("Roads as an engine says", .timeLimit(.minutes(5)))
struct RoutedRoadsTests {
    private let question = RoutedRoads.RoadRequest(from: EngineBodies.from, to: EngineBodies.to, mode: .bicycle)

    /// What an engine in this process answers; `nil` for one that accepts and never says a word.
    private struct EngineResponse: Sendable {
        var status = HTTPResponse.Status.ok
        var body: String?
    }

    private struct Asked {
        let log = LogLines()
        let metrics = MetricsRegistry()

        func count(_ outcome: String) -> Int { number("doorstep_road_requests_total{outcome=\"\(outcome)\"}") ?? 0 }
        var isOpen: Int? { number("doorstep_road_breaker_open{vehicle=\"bicycle\"}") }

        private func number(_ series: String) -> Int? {
            metrics.exposition().split(separator: "\n").first { $0.hasPrefix("\(series) ") }?
                .split(separator: " ").last.flatMap { Double($0) }.map { Int($0) }
        }

        func roads(
            at url: String, kind: RoadSettings.Kind = .osrm, timeout: Duration = .seconds(30),
            now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
        ) -> RoutedRoads {
            let settings = RoadSettings.Engine(
                kind: kind, bicycle: .init(url: url, profile: "bike"), car: .init(url: url, profile: "car"),
                timeout: timeout)
            return RoutedRoads(
                engine: HTTPRoadEngine(settings: settings), usual: DetourFactorDistance(), timeout: timeout,
                metrics: metrics, logger: log.logger, now: now)
        }
    }

    /// Runs the body with an engine on a port of its own.
    private func withEngine(
        _ response: EngineResponse, _ body: @escaping @Sendable (String) async throws -> Void
    ) async throws {
        let (silence, end) = AsyncStream<Void>.makeStream()
        let router = Hummingbird.Router()
        let answer: @Sendable () async -> Response = {
            guard let text = response.body else {
                for await _ in silence {}
                return Response(status: .serviceUnavailable)
            }
            return Response(
                status: response.status, headers: [.contentType: "application/json"],
                body: .init(byteBuffer: ByteBuffer(string: text)))
        }
        router.get("route/v1/bike/{places}") { _, _ in await answer() }
        router.post("route") { _, _ in await answer() }
        try await Application(router: router).test(.live) { client in
            defer { end.finish() }
            try await body("http://127.0.0.1:\(try #require(client.port))")
        }
    }

    @Test(
        "An answer is there for the next look, and asked for once",
        arguments: [
            (RoadSettings.Kind.osrm, EngineBodies.osrmBicycle, 1_952.0),
            (.valhalla, EngineBodies.valhallaBicycle, 2_131),
        ])
    func answered(kind: RoadSettings.Kind, body: String, metres: Double) async throws {
        try await withEngine(EngineResponse(body: body)) { [question] url in
            let asked = Asked()
            let roads = asked.roads(at: url, kind: kind)
            let before = roads.road(from: question.from, to: question.to, by: .bicycle)
            #expect(!before.isRouted && before.share == 1)
            await roads.perform(question)
            let after = roads.road(from: question.from, to: question.to, by: .bicycle)
            #expect(after.isRouted && abs(after.metres - metres) < 0.001)
            #expect(after.usualMetres == before.metres)
            #expect(asked.count("answered") == 1)
        }
    }

    @Test("Questions are asked beside whoever looks, and again only for what is not known")
    func beside() async throws {
        try await withEngine(EngineResponse(body: EngineBodies.osrmBicycle)) { [question] url in
            let asked = Asked()
            let roads = asked.roads(at: url)
            await withTaskGroup { group in
                group.addTask { try? await roads.run() }
                while !roads.road(from: question.from, to: question.to, by: .bicycle).isRouted { await Task.yield() }
                for _ in 0..<50 { _ = roads.road(from: question.from, to: question.to, by: .bicycle) }
                // Another way of moving is another question, which this engine has no path for.
                while asked.count("failed") == 0 {
                    _ = roads.road(from: question.from, to: question.to, by: .car)
                    await Task.yield()
                }
                group.cancelAll()
            }
            #expect(asked.count("answered") == 1)
        }
    }

    static let brokenAnswers: [(HTTPResponse.Status, String, String)] = [
        (.internalServerError, "oops", "failed"), (.ok, "{\"code\":", "failed"), (.ok, "", "failed"),
        (.badRequest, EngineBodies.osrmMalformed, "failed"), (.notFound, EngineBodies.osrmBicycle, "failed"),
        (.badRequest, EngineBodies.osrmNoRoute, "no_road"), (.ok, EngineBodies.osrmCar, "snapped_too_far"),
        (.ok, EngineBodies.osrmBicycle.replacing("1952", with: "19520"), "implausible"),
        (.ok, String(repeating: "x", count: 2 * 1024 * 1024), "failed"),
    ]

    @Test("Whatever else it answers is counted, and roads are as usual", arguments: RoutedRoadsTests.brokenAnswers)
    func broken(status: HTTPResponse.Status, body: String, outcome: String) async throws {
        try await withEngine(EngineResponse(status: status, body: body)) { [question] url in
            let asked = Asked()
            let roads = asked.roads(at: url)
            await roads.perform(question)
            #expect(asked.count(outcome) == 1)
            #expect(roads.road(from: question.from, to: question.to, by: .bicycle).share == 1)
        }
    }

    @Test("An engine that says nothing is given up on, and the fifth time not asked again until its pause is over")
    func silent() async throws {
        try await withEngine(EngineResponse(body: nil)) { [question] url in
            let asked = Asked()
            let moment = Mutex(ContinuousClock.now)
            let begin = moment.withLock { $0 }
            let roads = asked.roads(at: url, timeout: .milliseconds(20)) { moment.withLock { $0 } }
            for _ in 0..<7 { await roads.perform(question) }
            #expect(asked.count("timed_out") == 5 && asked.count("breaker_open") == 2)
            #expect(asked.isOpen == 1)
            #expect(asked.log.all.filter { $0.contains("does not answer") }.count == 1)
            moment.withLock { $0 = begin.advanced(by: .seconds(11)) }
            await roads.perform(question)
            #expect(asked.count("timed_out") == 6)
        }
    }

    @Test("Where nobody listens the breaker opens")
    func refused() async throws {
        let asked = Asked()
        // The client tries again until the time is up, so that a refusal and a timeout look alike.
        let roads = asked.roads(at: "http://127.0.0.1:\(try freePort())", timeout: .milliseconds(20))
        for _ in 0..<6 { await roads.perform(question) }
        #expect(asked.count("failed") + asked.count("timed_out") == 5)
        #expect(asked.count("breaker_open") == 1 && asked.isOpen == 1)
        #expect(!roads.road(from: question.from, to: question.to, by: .bicycle).isRouted)
    }

    /// Fails until it is mended.
    private final class Mendable: RoadEngine {
        let isMended = Mutex(false)

        func answer(from: Coordinate, to: Coordinate, by mode: TravelMode) async throws -> RoadAnswer {
            guard isMended.withLock({ $0 }) else { throw RoadFault.failed }
            return RoadAnswer(metres: 1_952, seconds: 522, snappedMetres: 5)
        }
    }

    @Test("The first answer after the pause closes the breaker; opening and closing are response once each")
    func comesBack() async throws {
        let asked = Asked()
        let moment = Mutex(ContinuousClock.now)
        let engine = Mendable()
        let roads = RoutedRoads(
            engine: engine, usual: DetourFactorDistance(), timeout: .seconds(30), metrics: asked.metrics,
            logger: asked.log.logger, now: { moment.withLock { $0 } })
        for _ in 0..<6 { await roads.perform(question) }
        #expect(asked.count("failed") == 5 && asked.count("breaker_open") == 1 && asked.isOpen == 1)
        engine.isMended.withLock { $0 = true }
        await roads.perform(question)
        #expect(asked.count("breaker_open") == 2)
        moment.withLock { $0 = $0.advanced(by: .seconds(11)) }
        await roads.perform(question)
        #expect(asked.isOpen == 0 && asked.count("answered") == 1)
        #expect(roads.road(from: question.from, to: question.to, by: .bicycle).isRouted)
        #expect(asked.log.all.filter { $0.contains("does not answer") }.count == 1)
        #expect(asked.log.all.filter { $0.contains("answers again") }.count == 1)
    }

    @Test("Near by nobody is asked, and questions beyond the queue are dropped and counted")
    func bounds() {
        let asked = Asked()
        let roads = asked.roads(at: "http://127.0.0.1:1")
        let near = Coordinate(latitude: 49.034, longitude: 8.395121)!
        #expect(!roads.road(from: EngineBodies.from, to: near, by: .bicycle).isRouted)
        for step in 0..<(RoutedRoads.queuedMax + 20) {
            let from = Coordinate(latitude: 40 + Double(step) * 0.01, longitude: 8)!
            _ = roads.road(from: from, to: EngineBodies.to, by: .bicycle)
        }
        #expect(asked.count("dropped") == 20)
    }

    @Test(
        "A real OSRM over the extract that the bodies are from answers the same",
        .enabled(if: ProcessInfo.processInfo.environment["DOORSTEP_TEST_OSRM_URL"] != nil))
    func realOSRM() async throws {
        let url = try #require(ProcessInfo.processInfo.environment["DOORSTEP_TEST_OSRM_URL"])
        let asked = Asked()
        let roads = asked.roads(at: url)
        await roads.perform(question)
        #expect(roads.road(from: question.from, to: question.to, by: .bicycle).metres.rounded() == 1_952)
    }

    @Test(
        "A real Valhalla over the extract that the bodies are from answers the same",
        .enabled(if: ProcessInfo.processInfo.environment["DOORSTEP_TEST_VALHALLA_URL"] != nil))
    func realValhalla() async throws {
        let url = try #require(ProcessInfo.processInfo.environment["DOORSTEP_TEST_VALHALLA_URL"])
        let settings = RoadSettings.Engine(
            kind: .valhalla, bicycle: .init(url: url, profile: "bicycle"), car: .init(url: url, profile: "auto"))
        let answer = try await HTTPRoadEngine(settings: settings).answer(
            from: question.from, to: question.to, by: .bicycle)
        try answer.checked(from: question.from, to: question.to)
        #expect(answer.metres == 2_131)
    }
}
