import ArgumentParser
import CommandOutput
import DeliveryDiagnosis
import DeliverySamples
import DomainTime
import DoorstepAPI
import Foundation
import LiveActivity
import Messages
import NIOHTTP1
import OrderDomain
import ScriptedPeers
import StackClient
import Synchronization
import TestSupport
import Testing
import WireCoding

@testable import Doorstep

@Suite("Moving a courier's deliveries")
struct CourierMoveTests {
    func courier(_ id: String) throws -> CourierID { try #require(CourierID(rawValue: id)) }

    func stop(
        _ number: Int, isAdded: Bool, stopsBefore: Int, formerStopsBefore: Int = 0, former: String? = "ali",
        minutesLate: Double = 0, wasLate: Bool = false, wasOnHold: Bool? = nil, isOnHold: Bool? = nil
    ) throws -> TripPreviewBody.Stop {
        let end = SampleDeliveries.at(60)
        let now = SampleDeliveries.at(0)
        func estimate(_ minutes: Double) -> Estimate {
            let at = end.addingTimeInterval(60 * minutes)
            return Estimate(arrivesAt: at, earliest: at, latest: at, madeAt: now)
        }
        return TripPreviewBody.Stop(
            delivery: try #require(DeliveryID(rawValue: "00000000-0000-4000-8000-00000000000\(number)")),
            reference: "G-\(number)", bag: Bag(number: 1, count: 1), version: 3, stopsBefore: stopsBefore,
            formerStopsBefore: formerStopsBefore, isAdded: isAdded, formerCourier: try former.map(courier),
            fetchedFrom: nil,
            promiseEnd: end, timeZone: "UTC", estimate: estimate(minutesLate), formerEstimate: estimate(-10),
            isLate: minutesLate > 0, wasLate: wasLate, isOnHold: isOnHold, wasOnHold: wasOnHold)
    }

    private func trip() throws -> TripPreviewBody {
        TripPreviewBody(
            courier: try courier("finn"), asOf: SampleDeliveries.at(0),
            stops: [
                try stop(1, isAdded: false, stopsBefore: 0, former: "finn"),
                try stop(2, isAdded: false, stopsBefore: 1, former: "finn", minutesLate: 4),
                try stop(3, isAdded: true, stopsBefore: 2, minutesLate: 9, wasLate: true),
                try stop(4, isAdded: true, stopsBefore: 3, former: nil, minutesLate: 12),
            ])
    }

    @Test("The summary names how many move, and each delivery that becomes late, the receiving courier's own too")
    func summary() throws {
        let trip = try trip()
        #expect(trip.summary == "2 deliveries to finn, who has 2; 2 become late: G-2, G-4")
        #expect(trip.changed.map(\.reference) == ["G-2", "G-3", "G-4"])
        let text = try #require(trip.changed.last).arrivalText(now: SampleDeliveries.at(0))
        #expect(text.contains("→") && text.hasSuffix(", becomes late"))
        #expect(trip.stops[2].arrivalText(now: SampleDeliveries.at(0)).hasSuffix(", late"))
    }

    @Test("It says which deliveries the move releases from hold, and which are on hold again after the way back")
    func holds() throws {
        let trip = try proposed([
            try stop(1, isAdded: true, stopsBefore: 0, wasOnHold: true, isOnHold: false),
            try stop(2, isAdded: true, stopsBefore: 1, wasOnHold: true, isOnHold: false),
            try stop(3, isAdded: true, stopsBefore: 2, wasOnHold: false, isOnHold: true),
            try stop(4, isAdded: true, stopsBefore: 3, wasOnHold: true, isOnHold: true),
        ])
        #expect(
            trip.summary
                == "4 deliveries to finn, who has 0; none becomes late; 1 on hold again; 2 released from hold")
        let texts = trip.stops.map { $0.arrivalText(now: SampleDeliveries.at(0)) }
        #expect(texts[0].hasSuffix(", released from hold") && texts[2].hasSuffix(", on hold again"))
        #expect(!texts[3].contains("hold"))
    }

    @Test("Each delivery is given back alone, which plans no trip, and each stop gets its place on the trip back")
    func undo() throws {
        let commands = CourierMove.undoCommands(of: PlannedMove.moves(of: try trip()))
        #expect(
            commands == [
                "doorstep ops assign 00000000-0000-4000-8000-000000000004 --nobody --reason undo",
                "doorstep ops assign 00000000-0000-4000-8000-000000000003 --courier ali --unknown --reason undo",
                "doorstep ops trip 00000000-0000-4000-8000-000000000002 --stops-before 0",
            ])
        let several = try proposed([
            try stop(1, isAdded: true, stopsBefore: 0, formerStopsBefore: 1),
            try stop(2, isAdded: true, stopsBefore: 1, formerStopsBefore: 0),
            try stop(3, isAdded: true, stopsBefore: 2, formerStopsBefore: 3, former: "eva"),
        ])
        let id = "00000000-0000-4000-8000-00000000000"
        #expect(
            CourierMove.undoCommands(of: PlannedMove.moves(of: several)) == [
                "doorstep ops assign \(id)1 --courier ali --unknown --reason undo",
                "doorstep ops assign \(id)2 --courier ali --unknown --reason undo",
                "doorstep ops trip \(id)1 --stops-before 1",
                "doorstep ops assign \(id)3 --courier eva --unknown --reason undo",
                "doorstep ops trip \(id)3 --stops-before 3",
            ])
    }

    @Test("A delivery goes back to a courier whom the directory does not know", .timeLimit(.minutes(5)))
    func undoToUnknown() async throws {
        let moves = PlannedMove.moves(of: try proposed([try stop(1, isAdded: true, stopsBefore: 0)]))
        let command = try #require(CourierMove.undoCommands(of: moves).first)
        let arguments = command.split(separator: " ").dropFirst(3).map(String.init)
        let couriers = try json(CouriersBody(couriers: [], next: nil))
        let delivery = try json(body(SampleDeliveries.toEnRoute, number: 1))
        let server = try await ScriptedHTTPServer.start { request in
            .answer(200, body: request.head.uri.hasPrefix("/v1/couriers") ? couriers : delivery)
        }
        let (exit, output) = try await assign(Array(arguments.dropLast(2)), over: server)
        #expect(exit == .code(0) && output.contains("assigned to ali"), "\(output)")
        try await server.stop()
    }

    @Test("No order of stops is proposed to an operator of one store, whose deliveries are assigned one by one")
    func proposals() async throws {
        let finn = try courier("finn")
        let empty = TripPreviewBody(courier: finn, asOf: SampleDeliveries.at(0), stops: [])
        let trip = String(decoding: try WireJSON.encode(empty), as: UTF8.self)
        for (status, body, mayPlan) in [(200, trip, true), (404, "{}", false)] {
            let server = try await ScriptedHTTPServer.start { _ in .answer(status, body: body) }
            let environment = ["DOORSTEP_ORDERS_URL": server.origin, "DOORSTEP_COURIER_ETA_URL": server.origin]
            let move = CourierMove(
                orders: try PeerClient(.orders, token: nil, environment: environment),
                courierETA: try PeerClient(.courierETA, token: nil, environment: environment), clock: .wall)
            #expect(try await move.mayPlan(for: finn) == mayPlan)
            try await server.stop()
        }
    }

    /// Moves deliveries to Finn over services that refuse each change of one of them.
    ///
    /// - Parameter trips: the proposed trip with the refused delivery, and without it.
    /// - Returns: the command's failure, and the bodies of the changes that it made.
    private func run(
        _ deliveries: [DeliveryID], refusing refused: DeliveryID,
        trips: (with: TripPreviewBody, without: TripPreviewBody), dryRun: Bool = false
    ) async throws -> (failure: CommandFailure?, made: [String]) {
        let finn = try courier("finn")
        let (with, without) = (try json(trips.with), try json(trips.without))
        let (previewText, bodyText) = try (json(preview()), json(body(SampleDeliveries.toEnRoute, number: 1)))
        let made = Mutex<[String]>([])
        let server = try await ScriptedHTTPServer.start { request in
            let isOfRefused = request.head.uri.contains(refused.rawValue)
            guard request.head.method == .PUT else { return .answer(200, body: isOfRefused ? with : without) }
            guard !isOfRefused else { return .answer(412, body: "{}") }
            guard !request.head.uri.contains("preview=true") else { return .answer(200, body: previewText) }
            made.withLock { $0.append(String(decoding: request.body, as: UTF8.self)) }
            return .answer(200, body: bodyText)
        }
        let environment = ["DOORSTEP_ORDERS_URL": server.origin, "DOORSTEP_COURIER_ETA_URL": server.origin]
        let move = CourierMove(
            orders: try PeerClient(.orders, token: nil, environment: environment),
            courierETA: try PeerClient(.courierETA, token: nil, environment: environment), clock: .wall)
        let failure = await #expect(throws: CommandFailure.self) {
            try await move.run(deliveries, to: finn, reason: "flat", dryRun: dryRun)
        }
        try await server.stop()
        return (failure, made.withLock { $0 })
    }

    private func proposed(
        _ stops: [TripPreviewBody.Stop], notLive: [DeliveryID]? = nil
    ) throws -> TripPreviewBody {
        TripPreviewBody(
            courier: try courier("finn"), asOf: SampleDeliveries.at(0), stops: stops, notLive: notLive)
    }

    @Test("A delivery that has ended meanwhile is refused alone: the others are moved, to their places on the trip")
    func endedMeanwhile() async throws {
        let ended = SampleDeliveries.whole(number: 2, SampleDeliveries.toEnRoute).id
        let added = try stop(1, isAdded: true, stopsBefore: 2)
        let trip = try proposed([added], notLive: [ended])
        let left = "1 left out, no longer live: \(ended)"
        #expect(trip.summary == "1 delivery to finn, who has 0; none becomes late; \(left)")
        let (failure, made) = try await run([added.delivery, ended], refusing: ended, trips: (trip, trip))
        #expect(failure?.kind == .conflict)
        #expect(made == [#"{"courier":"finn","reason":"flat","stopsBefore":2}"#])
        let dry = try await run(
            [added.delivery, ended], refusing: ended, trips: (trip, trip), dryRun: true)
        #expect(dry.failure?.kind == .conflict && dry.made.isEmpty)
    }

    @Test("A delivery whose preview is refused is left out, and the others are moved to their places without it")
    func refusedInPreview() async throws {
        let refused = try stop(2, isAdded: true, stopsBefore: 0)
        let (behind, alone) = (try stop(1, isAdded: true, stopsBefore: 1), try stop(1, isAdded: true, stopsBefore: 0))
        let trips = (try proposed([refused, behind]), try proposed([alone]))
        let all = [behind.delivery, refused.delivery]
        let (failure, made) = try await run(all, refusing: refused.delivery, trips: trips)
        #expect(failure?.kind == .conflict && made == [#"{"courier":"finn","reason":"flat","stopsBefore":0}"#])
        let none = try await run([refused.delivery], refusing: refused.delivery, trips: trips)
        #expect(none.failure?.kind == .conflict && none.made.isEmpty)
        let own = try proposed([alone, try stop(3, isAdded: false, stopsBefore: 1)])
        let kept = try await run([alone.delivery], refusing: own.stops[1].delivery, trips: (own, own))
        #expect(kept.failure?.kind == .conflict && kept.made.isEmpty, "an own stop that cannot have its new place")
    }

    @Test("An operator of one store gives all of a courier's away too, one by one", .timeLimit(.minutes(5)))
    func fromOfOneStore() async throws {
        let delivery = SampleDeliveries.whole(SampleDeliveries.toEnRoute)
        let row = BoardBody.Row(
            delivery, risk: .onTime, estimate: nil, cards: nil, for: Principal(.operator("ada")))
        let board = BoardBody(
            counts: .init(live: 1, late: 0, atRisk: 0, silent: 0, unassigned: 0, waitingForCustomer: 0),
            deliveries: [row], next: nil)
        func couriers(_ id: String) throws -> CouriersBody {
            CouriersBody(
                couriers: [
                    .init(
                        courier: try courier(id), name: id.capitalized, phones: 1, lastSeenAt: nil, onDuty: true,
                        deliveries: 1)
                ], next: nil)
        }
        let path = "/v1/deliveries/\(delivery.id)"
        let answers = [
            "GET /v1/couriers?courier=eva": try json(try couriers("eva")),
            "GET /v1/couriers?courier=mira": try json(try couriers("mira")),
            "GET /v1/deliveries": try json(board), "GET \(path)": try json(body(SampleDeliveries.toEnRoute, number: 1)),
            "PUT \(path)/courier": try json(body(SampleDeliveries.toEnRoute, number: 1)),
        ]
        let made = Mutex<[String]>([])
        let server = try await ScriptedHTTPServer.start { request in
            let whole = "\(request.head.method.rawValue) \(request.head.uri)"
            if request.head.method == .PUT {
                made.withLock { $0.append(String(decoding: request.body, as: UTF8.self)) }
            }
            let bare = String(whole.prefix { $0 != "?" })
            guard let answer = answers[whole] ?? answers[bare] else { return .answer(404, body: "{}") }
            return .answer(200, body: answer)
        }
        let (exit, output) = try await assign(["--from", "mira", "--courier", "eva"], over: server)
        #expect(exit == .code(0), "\(output)")
        #expect(made.withLock { $0 } == [#"{"courier":"eva","reason":"flat"}"#])
        try await server.stop()
    }

    @Test("Either deliveries or a courier's are given to another courier")
    func arguments() throws {
        func parse(_ arguments: String...) throws { _ = try OpsAssign.parse(arguments + ["--reason", "r"]) }
        try parse("--from", "bo", "--courier", "eva")
        try parse("G-1", "--courier", "eva")
        // The couriers are listed then.
        try parse("--from", "bo")
        try parse("G-1")
        for refused in [
            ["--from", "bo", "--nobody"], ["G-1", "--courier", "eva", "--nobody"], ["--from", "bo", "--courier", "bo"],
            ["--courier", "eva"], ["G-1", "--from", "bo", "--courier", "eva"],
        ] {
            #expect(throws: (any Error).self) { _ = try OpsAssign.parse(refused + ["--reason", "r"]) }
        }
    }

    @Test("A command without a courier lists others, the nearest to the goods first, and changes nothing")
    func candidates() async throws {
        let delivery = SampleDeliveries.whole(SampleDeliveries.toEnRoute)
        func row(_ id: String) throws -> CouriersBody.Row {
            .init(
                courier: try courier(id), name: id.capitalized, phones: 1, lastSeenAt: nil, onDuty: true, deliveries: 1)
        }
        func position(_ id: String, _ latitude: Double) throws -> CourierPositionBody {
            .init(
                courier: try courier(id),
                latest: .init(
                    time: Date(), latitude: latitude, longitude: 12.5, accuracy: nil, speed: nil, heading: nil),
                standingSeconds: 0, usualIntervalSeconds: 10, isSilent: false, deliveries: [])
        }
        let couriers = try json(CouriersBody(couriers: ["ali", "eva", "mira"].map(row), next: nil))
        let positions = try json(
            CourierPositionsBody(
                asOf: Date(), positions: [position("ali", 55.75), position("eva", 55.71), position("mira", 55.7)],
                next: nil))
        let whole = try json(body(SampleDeliveries.toEnRoute, number: 1))
        for mayReadPositions in [true, false] {
            let server = try await ScriptedHTTPServer.start { request in
                switch request.head.uri.prefix(while: { $0 != "?" }) {
                case "/v1/couriers": .answer(200, body: couriers)
                case "/v1/courier-positions" where mayReadPositions: .answer(200, body: positions)
                case "/v1/courier-positions": .answer(404, body: "{}")
                default: .answer(200, body: whole)
                }
            }
            let environment = ["DOORSTEP_ORDERS_URL": server.origin, "DOORSTEP_COURIER_ETA_URL": server.origin]
            let candidates = CourierCandidates(
                orders: try PeerClient(.orders, token: nil, environment: environment),
                courierETA: try PeerClient(.courierETA, token: nil, environment: environment), clock: .wall)
            let failure = try await candidates.refusal(for: delivery.id)
            let (heading, away) = mayReadPositions ? (", the nearest to Mira first", ", 1.1 km away") : ("", "")
            let far = mayReadPositions ? ", 5.6 km away" : ""
            let (ali, eva) = ("  ali Ali, on duty, 1 delivery\(far)", "  eva Eva, on duty, 1 delivery\(away)")
            let lines = mayReadPositions ? [eva, ali] : [ali, eva]
            let text = "nothing was changed: give --courier ID, or --nobody. There are\(heading):"
            #expect(failure.kind == .usage && failure.message == ([text] + lines).joined(separator: "\n"))
            try await server.stop()
        }
    }

    func body(_ changes: [DeliveryChange], number: Int) -> DeliveryBody {
        DeliveryBody(
            SampleDeliveries.whole(number: number, changes), dropOff: nil, links: [],
            for: Principal(.operator("ada")))
    }

    @Test("A trip has the live deliveries of one courier, and all that are not are named")
    func trips() throws {
        func assigned(_ id: String) throws -> DeliveryChange {
            .courier(Courier(id: try courier(id), name: id.capitalized, vehicle: .bicycle, phone: nil))
        }
        let own = try (1...2).map { body([try assigned("finn")], number: $0) }
        try OpsTrip.check(own)
        let others = [
            body([try assigned("nete")], number: 3), body([], number: 4),
            body([.status(.cancelled, reason: nil)], number: 5),
        ]
        do {
            try OpsTrip.check(own + others)
            Issue.record("deliveries of two couriers are no trip")
        } catch let failure as CommandFailure {
            #expect(failure.kind == .conflict)
            for text in ["is nete's, not finn's", "has no courier", "has ended (cancelled)"] {
                #expect(failure.message.contains(text))
            }
        }
    }
    @Test("Bags of one door that are named one after the other are one stop, unless one of them has to be fetched")
    func bagsOfOneDoor() {
        func bag(
            _ number: Int, door: Double, _ changes: [DeliveryChange] = SampleDeliveries.toEnRoute
        ) -> DeliveryBody {
            DeliveryBody(
                SampleDeliveries.whole(number: number, door: door, changes), dropOff: nil, links: [],
                for: Principal(.operator("ada")))
        }
        let bags = [bag(1, door: 55.72), bag(2, door: 55.72), bag(3, door: 55.73), bag(4, door: 55.72)]
        #expect(OpsTrip.places(of: bags, from: 2) == [2, 2, 3, 4])
        let inStore = bag(5, door: 55.72, [.courier(SampleDeliveries.mira)])
        #expect(OpsTrip.places(of: [bags[0], inStore], from: 0) == [0, 1])
    }
}
