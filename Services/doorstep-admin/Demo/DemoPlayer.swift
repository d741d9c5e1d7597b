import APIClient
import CommandOutput
import CourierSimulation
import DomainTime
import DoorstepAPI
import EmulatorAPI
import Foundation
import LiveActivity
import Messages
import NIOHTTP1
import OrderDomain
import StackClient
import TimePresentation

/// Plays the script on a running stack, as its shop, its couriers and its customer.
struct DemoPlayer: Sendable {
    /// Attempts while a service is unavailable, a second apart.
    static let attemptsMax = 60

    let clock: DomainClock
    let store: PeerClient
    let customer: CustomerSettings
    let couriers: DemoCouriers
    let seed: UInt64
    /// Nil where the stack has no emulated phones.
    let phone: DemoPhone?

    /// - Returns: when it is all over, cards dismissed.
    func play(_ scenes: [DemoScript.Scene], _ parts: [DemoScript.Part: DeliveryID], from start: Date) async throws
        -> Date
    {
        try await withThrowingTaskGroup(of: Void.self) { rides in
            for scene in scenes {
                try await clock.sleep(until: start.addingTimeInterval(scene.at))
                if case .ridden(let courier, let stops, let disruption) = scene.act {
                    log(scene.act.summary)
                    rides.addTask { try await ride(courier, stops.compactMap { parts[$0] }, disruption) }
                } else {
                    try await performTolerantly(scene.act) { try await perform(scene.act, parts) }
                }
            }
            try await rides.waitForAll()
        }
        var end = clock.now
        for delivery in parts.values {
            let body = try await read(delivery)
            let seconds = DismissalPolicy.standard.secondsUntilDismissal(as: body.status)
            end = max(end, (body.endedAt ?? end).addingTimeInterval(Double(seconds)))
        }
        return end
    }

    private func perform(_ act: DemoScript.Act, _ parts: [DemoScript.Part: DeliveryID]) async throws {
        switch act {
        case .status(let status, let part):
            try await send(.POST, parts[part], "/status", StatusBody(status: status))
        case .found(let item, let part):
            try await send(.PATCH, parts[part], "/items/\(item)", ItemBody(status: .found))
        case .proposed(let item, let part):
            let substitute = ItemBody.SubstituteBody(name: "Barista oat milk", priceDifferenceMinorUnits: 300)
            try await send(
                .PATCH, parts[part], "/items/\(item)",
                ItemBody(status: .substituteProposed, substitute: substitute, answerSeconds: 900))
        case .approved(_, let part):
            try await approve(parts[part])
        case .assigned(let courier, let stops):
            let described = DemoScript.couriers.first { $0.id.rawValue == courier }
            for (index, part) in stops.enumerated() {
                try await send(
                    .PUT, parts[part], "/courier", AssignBody(courier: described.map(AssignBody.Choice.described)))
                if index > 0 { try await send(.PUT, parts[part], "/trip", TripBody(stopsBefore: index)) }
            }
        case .phone(let action): try await phone?.act(PhoneActionBody(action))
        case .ridden: break
        }
    }

    private func send(
        _ method: HTTPMethod, _ delivery: DeliveryID?, _ path: String, _ body: some Encodable & Sendable
    ) async throws {
        guard let delivery else { return }
        _ = try await store.send(method, "/v1/deliveries/\(delivery)\(path)", body: body, as: DeliveryBody.self)
    }

    private func read(_ delivery: DeliveryID) async throws -> DeliveryBody {
        try await store.get("/v1/deliveries/\(delivery)")
    }

    /// Approves as the customer; where a viewer of the demo did so first, the button is missing.
    ///
    /// A tap on the emulated iPhone makes its app press the link, as an intent does. Without an effect within some
    /// seconds, this process presses the link.
    private func approve(_ delivery: DeliveryID?) async throws {
        guard let delivery else { return }
        if let phone {
            try await phone.act(PhoneActionBody(.tapButton, verb: Verb.approveSubstitution.rawValue))
            for _ in 1...10 where try await approvalLink(of: delivery) != nil {
                try await clock.sleep(until: clock.now.addingTimeInterval(3))
            }
        }
        guard let link = try await approvalLink(of: delivery) else { return }
        _ = try await APIClient.with { client in
            try await LinkClient(client: APIClient(client), settings: customer).press(link.url)
        }
    }

    private func approvalLink(of delivery: DeliveryID) async throws -> DeliveryLink? {
        let mine = try PeerClient(.orders, token: try customer.token(), environment: customer.environment)
        let body: DeliveryBody = try await mine.get("/v1/deliveries/\(delivery)")
        return body.links.first { $0.verb == Verb.approveSubstitution.rawValue }
    }

    private func ride(_ courier: String, _ stops: [DeliveryID], _ disruption: RideDisruption) async throws {
        var deliveries: [DeliveryBody] = []
        for stop in stops {
            let delivery = try await read(stop)
            if delivery.endedAt == nil { deliveries.append(delivery) }
        }
        guard let first = deliveries.first else { return }
        let token = try await couriers.token(of: courier)
        let plan = RidePlan.alongStreets(
            to: deliveries, from: clock.now,
            metersPerSecond: DemoScript.metersPerSecond(first.courier?.vehicle ?? .bicycle),
            every: 5, isPressing: true, seed: seed
        ).disrupted(by: disruption)
        try await RideRun(
            plan: plan, clock: clock,
            services: HTTPRideServices(
                courierETA: try PeerClient(.courierETA, token: token, environment: customer.environment),
                orders: try PeerClient(.orders, token: token, environment: customer.environment)),
            log: DiscardingRideLog()
        ).run()
        log("\(courier) has handed everything over")
    }

    /// The link to a courier's own page.
    func page(of courier: CourierID) async throws -> String {
        let orders = try PeerClient(
            .orders, token: try await couriers.token(of: courier.rawValue), environment: customer.environment)
        return try await orders.send(
            .POST, "/v1/couriers/\(courier)/link", body: [String: String](), as: CourierLinkBody.self
        ).body.url
    }

    /// Retries while a service is unavailable, and skips actions that a viewer of the demo has already made.
    private func performTolerantly(_ act: DemoScript.Act, _ body: () async throws -> Void) async throws {
        for attempt in 1...Self.attemptsMax {
            do {
                try await body()
                return log(act.summary)
            } catch let failure as CommandFailure where failure.kind == .conflict || failure.kind == .notFound {
                return log("\(act.summary): skipped, \(failure.message)")
            } catch let failure as CommandFailure where failure.kind == .unavailable && attempt < Self.attemptsMax {
                try await Task.sleep(for: .seconds(1))
            }
        }
    }

    private func log(_ line: String) {
        let now = clock.now
        let time = StoreTimes(timeZone: .gmt, now: now).text(now, withSeconds: true)
        writeLine("\(time)  \(line)".safeOnTerminal)
    }
}

extension DismissalPolicy {
    /// Seconds from the end to the card's dismissal; 0 for a delivery that has not ended.
    fileprivate func secondsUntilDismissal(as status: StatusCode) -> Int {
        switch status {
        case .delivered: deliveredSeconds
        case .cancelled: cancelledSeconds
        case .returned: returnedSeconds
        case .failed: failedSeconds
        default: 0
        }
    }
}

extension DemoScript.Act {
    fileprivate var summary: String {
        switch self {
        case .status(let status, let part): "\(part.rawValue): \(status.rawValue)"
        case .found(let item, let part): "\(part.rawValue): found \(item)"
        case .proposed(let item, let part): "\(part.rawValue): asked about \(item)"
        case .approved(let item, let part): "\(part.rawValue): answered about \(item)"
        case .assigned(let courier, let parts):
            "\(parts.map(\.rawValue).joined(separator: ", ")): assigned to \(courier)"
        case .phone(let action): "the customer's iPhone: \(action.rawValue)"
        case .ridden(let courier, _, .halted(let after, _)):
            "\(courier) rides, and will stand still in \(Int(after / 60)) min"
        case .ridden(let courier, _, .offline(let after, _)):
            "\(courier) rides, and will be out of signal in \(Int(after / 60)) min"
        }
    }
}
