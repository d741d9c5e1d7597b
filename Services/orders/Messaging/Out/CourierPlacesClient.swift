import ArrivalEstimate
import Foundation
import Messages
import NatsClient
import OrderDomain

/// Asks `courier-eta` where the couriers of open maps are.
struct CourierPlacesClient: Sendable {
    private static let timeout = Duration.seconds(3)

    private let ask: ServiceRequests

    init(request: @escaping ServiceRequests.Send) { ask = ServiceRequests(request) }

    init(_ nats: NatsClient) { ask = ServiceRequests(nats, timeout: Self.timeout) }

    /// The rounded places of couriers, each of a fix at its time or later.
    ///
    /// - Throws: where nothing answers in time.
    func callAsFunction(_ couriers: [CourierID: Date]) async throws -> [CourierID: CourierOnMap] {
        let wanted = couriers.sorted { $0.key < $1.key }.map { courier, since in
            CourierPlacesQuestion.Courier(courier, since: Int(since.timeIntervalSince1970.rounded(.up)))
        }
        var places: [CourierID: CourierOnMap] = [:]
        for start in stride(from: 0, to: wanted.count, by: CourierPlacesQuestion.couriersMax) {
            let part = Array(wanted[start...].prefix(CourierPlacesQuestion.couriersMax))
            let answer: CourierPlaces = try await ask(CourierPlacesQuestion(part), to: Subject.placesWanted)
            if let fault = answer.fault { throw RefusedRequest(description: fault) }
            for one in answer.places {
                // Rounded again: what a page shows does not depend on the other service's version.
                places[one.courier] = CourierOnMap(rounded: CourierOnMap.rounded(one.place), at: one.at)
            }
        }
        return places
    }
}
