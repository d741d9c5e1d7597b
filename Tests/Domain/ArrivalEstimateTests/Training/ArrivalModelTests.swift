import Foundation
import OrderDomain
import SeededRandom
import Testing

@testable import ArrivalEstimate

/// Rides of one town where bicycles are slow and cars fast, each a little different.
private func rides(count: Int, seed: UInt64) -> [RecordedRide] {
    var random = SeededGenerator(seed: seed)
    return (0..<count).map { index in
        let mode: TravelMode = index.isMultiple(of: 2) ? .bicycle : .car
        let duration = (mode == .bicycle ? 900 : 300) * Double.random(in: 0.8...1.25, using: &random)
        return RecordedRide(
            courier: "courier \(index % 12)", mode: mode, utcOffset: 3_600, origin: store, since: start, door: door,
            arrivedAt: seconds(duration), fixes: ride(lasting: duration, interval: 15))
    }
}

@Suite("Arrival model")
struct ArrivalModelTests {
    @Test("A fitted model distinguishes a slow travel mode from a fast one, within what the rides differ")
    func fitted() throws {
        let model = try ArrivalModel.fit(rides(count: 60, seed: 1), legs: nil, orders: nil, rounds: 20)
        let estimator = ArrivalEstimator(model: model)
        for (mode, duration) in [(TravelMode.bicycle, 900.0), (.car, 300)] {
            var route = Route(mode: mode, through: [], to: door)
            route.origin = store
            route.utcOffset = 3_600
            let half = track(of: ride(lasting: duration, until: 0.5))
            let now = seconds(duration / 2)
            let estimate = try #require(estimator.estimate(half, along: route, since: start, now: now))
            #expect((0.7...1.4).contains(estimate.remaining(at: now) / (duration / 2)))
            #expect(estimate.earliest < estimate.arrivesAt && estimate.arrivesAt < estimate.latest)
        }
    }

    @Test("The same rides give the same bytes, and reading them gives the same model")
    func repeatable() throws {
        let one = try ArrivalModel.fit(rides(count: 60, seed: 2), legs: nil, orders: nil, rounds: 5)
        let other = try ArrivalModel.fit(rides(count: 60, seed: 2), legs: nil, orders: nil, rounds: 5)
        #expect(try one.json() == other.json())
        #expect(try ArrivalModel(json: one.json()) == one)
    }

    @Test("Too few rides are refused with their number")
    func tooFew() {
        #expect(throws: TooFewRides(count: 49)) { try ArrivalModel.fit(rides(count: 49, seed: 3)) }
    }

    @Test("A model of another format is refused, with what to do")
    func otherFormat() throws {
        let text = String(decoding: try ArrivalModel.builtIn.json(), as: UTF8.self)
        let newer = text.replacing("\"format\":1", with: "\"format\":2")
        #expect(newer != text)
        let error = #expect(throws: ArrivalModelError.self) { try ArrivalModel(json: Data(newer.utf8)) }
        #expect(error == .unknownFormat(2))
        #expect(error?.description.contains("train it anew") == true)
    }

    @Test("A model that asks for other features, or never ends, is refused")
    func unsound() throws {
        let text = String(decoding: try ArrivalModel.builtIn.json(), as: UTF8.self)
        let renamed = text.replacing("\"logMetres\"", with: "\"phase of the moon\"")
        #expect(throws: ArrivalModelError.unsound) { try ArrivalModel(json: Data(renamed.utf8)) }
        let loop = text.replacing("\"trees\":[]", with: "\"trees\":[[[0,1.5,0,0]]]")
        #expect(throws: ArrivalModelError.unsound) { try ArrivalModel(json: Data(loop.utf8)) }
        #expect(throws: ArrivalModelError.self) { try ArrivalModel(json: Data("{}".utf8)) }
        #expect(throws: ArrivalModelError.self) { try ArrivalModel(json: Data()) }
    }

    @Test("Fixes that come shuffled, twice and late give the estimate of the clean stream", arguments: 0..<60)
    func converges(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let model = Self.learned
        let duration = Double.random(in: 200...3_000, using: &random)
        let interval = Double.random(in: 2...70, using: &random)
        let fixes = ride(lasting: duration, interval: interval, until: Double.random(in: 0.2...1, using: &random))
        let now = fixes[fixes.count - 1].time.addingTimeInterval(20)
        var route = Route(mode: .bicycle, through: [], to: door)
        route.origin = store
        let estimator = ArrivalEstimator(model: model)
        let clean = estimator.estimate(track(of: fixes), along: route, since: start, now: now)

        // Each is received at least once, some twice, each up to ten minutes late, with estimates in between.
        var received = (fixes + fixes.filter { _ in Int.random(in: 0..<4, using: &random) == 0 }).map {
            (fix: $0, at: $0.time.addingTimeInterval(Double.random(in: 0...600, using: &random)))
        }
        received.sort { $0.at < $1.at }
        var late = CourierTrack()
        for (fix, at) in received {
            _ = try? late.insert(fix, receivedAt: at)
            _ = estimator.estimate(late, along: route, since: start, now: at)
        }
        #expect(clean != nil)
        #expect(estimator.estimate(late, along: route, since: start, now: now) == clean)
    }

    private static let learned: ArrivalModel = {
        do {
            return try ArrivalModel.fit(rides(count: 60, seed: 9), legs: nil, orders: nil, rounds: 10)
        } catch {
            preconditionFailure("sixty rides are enough: \(error)")
        }
    }()
}

@Suite("Tree growing")
struct TreeGrowingTests {
    private func table(_ ratio: (Double) -> Double) -> TrainingTable {
        var table = TrainingTable()
        for index in 0..<400 {
            let value = Double(index % 100)
            table.append([value], base: 1, seconds: ratio(value), weight: 1, ride: index / 4, group: index / 4)
        }
        return table
    }

    @Test("A step is found where it is")
    func step() {
        let trees = GradientBoosting(quantile: 0.5, rounds: 100, rate: 0.2, featureShare: 1)
            .fit(table { $0 < 40 ? 1 : 3 })
        #expect(abs(trees.value(of: [10]) - 1) < 0.1)
        #expect(abs(trees.value(of: [39]) - 1) < 0.25)
        #expect(abs(trees.value(of: [60]) - 3) < 0.1)
    }

    @Test("Each quantile leaves its share above", arguments: [0.1, 0.5, 0.9])
    func quantiles(share: Double) {
        let table = table { $0 }
        let start = GradientBoosting(quantile: share, rounds: 0).fit(table).value(of: [0])
        #expect(abs(start - share * 100) <= 1)
    }

    @Test("Rows that ask for a quantile of their own get it")
    func ownQuantiles() {
        var table = TrainingTable()
        for index in 0..<800 {
            let isHigh = index.isMultiple(of: 2)
            table.append(
                [isHigh ? 1 : 0], base: 1, seconds: Double(index / 2 % 100), weight: 1, quantile: isHigh ? 0.8 : 0.3,
                ride: index / 4, group: index / 4)
        }
        let trees = GradientBoosting(quantile: nil, rounds: 200, rate: 0.1, rideShare: 1, featureShare: 1).fit(table)
        #expect(abs(trees.value(of: [1]) - 80) < 4)
        #expect(abs(trees.value(of: [0]) - 30) < 4)
    }

    @Test("Without rows a model predicts 1")
    func empty() {
        #expect(GradientBoosting(quantile: 0.5, rounds: 3).fit(TrainingTable()).value(of: []) == 1)
    }
}

@Suite("First promises")
struct FirstPromiseTests {
    @Test("A longer leg has a longer estimate, and a slow courier's is longer than a quick one's")
    func legs() throws {
        let history = (0..<400).map { index in
            var leg = UpcomingLeg(straightMetres: 1_000 + Double(index % 8) * 500, hour: 18, weekday: 5)
            leg.courier = index.isMultiple(of: 2) ? "quick" : "slow"
            let pace = index.isMultiple(of: 2) ? 0.2 : 0.4
            return (leg: leg, seconds: 120 + leg.straightMetres * pace)
        }
        let model = try LegModel.fit(history)
        var leg = UpcomingLeg(straightMetres: 2_000, hour: 18, weekday: 5)
        leg.courier = "quick"
        let quick = model.initialEstimate(for: leg)
        leg.courier = "slow"
        let slow = model.initialEstimate(for: leg)
        leg.straightMetres = 4_000
        let far = model.initialEstimate(for: leg)
        #expect(quick.seconds < slow.seconds && slow.seconds < far.seconds)
        #expect(quick.low <= quick.seconds && quick.seconds <= quick.high)
    }

    @Test("An order with nothing but its store still gets an estimate with a window")
    func bareOrder() {
        let promise = ArrivalModel.builtIn.initialEstimate(for: UpcomingOrder(store: "nordhavn", hour: 18, weekday: 5))
        #expect(promise.low < promise.seconds && promise.seconds < promise.high)
        #expect((1_200...4_800).contains(promise.seconds))
    }
}
