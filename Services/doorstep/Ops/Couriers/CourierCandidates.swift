import CommandOutput
import DeliveryDiagnosis
import DomainTime
import DoorstepAPI
import OrderDomain
import StackClient

/// The couriers who may get a delivery, for a command that names none.
struct CourierCandidates: Sendable {
    let orders: PeerClient
    let courierETA: PeerClient
    let clock: DomainClock

    /// The refusal of a command without a courier, which lists the nearest ones.
    ///
    /// - Throws: `CommandFailure` where the delivery or the couriers cannot be read.
    func refusal(for id: DeliveryID) async throws -> CommandFailure {
        let delivery: DeliveryBody = try await orders.get("/v1/deliveries/\(id)")
        let place = FetchPlace(delivery)
        let couriers = try await CourierDirectory(client: courierETA).all()
            .filter { $0.courier != delivery.courier?.id }
        let choices = CourierChoice.ranked(
            couriers, at: try await positions(), toFetchFrom: place, now: clock.now)
        return Self.refusal(choices, place)
    }

    static func refusal(_ choices: [CourierChoice], _ place: FetchPlace?) -> CommandFailure {
        let ask = "nothing was changed: give --courier ID, or --nobody."
        guard !choices.isEmpty else { return CommandFailure(.usage, "\(ask) No other courier is enrolled.") }
        let isByDistance = choices.contains { $0.metres != nil }
        let order = isByDistance ? place.map { ", the nearest to \($0.name) first" } ?? "" : ""
        let heading = "\(ask) There are\(order):".safeOnTerminal
        let lines = choices.prefix(UnknownCourier.candidatesMax).map { "  \($0.text)".safeOnTerminal }
        return CommandFailure(.usage, ([heading] + lines).joined(separator: "\n"))
    }

    /// Empty for an operator of one store, who may not read couriers' positions.
    private func positions() async throws -> [CourierPositionBody] {
        var positions: [CourierPositionBody] = []
        var after: CourierID?
        do {
            repeat {
                let page: CourierPositionsBody = try await courierETA.get(
                    "/v1/courier-positions", query: [("after", after?.rawValue)])
                positions += page.positions
                after = page.next
            } while after != nil
        } catch let failure as CommandFailure where failure.kind == .notFound {
            return []
        }
        return positions
    }
}

extension CourierCandidates {
    /// - Throws: `CommandFailure` where a token's file cannot be read, or an address is none.
    init() async throws {
        self.init(
            orders: try PeerClient(.orders, as: .operator), courierETA: try PeerClient(.courierETA, as: .operator),
            clock: try await Stack().clock())
    }
}
