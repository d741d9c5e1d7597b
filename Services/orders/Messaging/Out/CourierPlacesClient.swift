import ArrivalEstimate
import Foundation
import Messages
import NatsClient
import OrderDomain
import WireCoding

/// Asks `courier-eta` where the couriers of open maps are.
struct CourierPlacesClient: Sendable {
    private static let timeout = Duration.seconds(3)

    /// Sends a request to a subject, and returns the reply.
    typealias Request = @Sendable (_ payload: [UInt8], _ subject: String) async throws -> [UInt8]

    private let request: Request

    init(request: @escaping Request) { self.request = request }

    init(_ nats: NatsClient) {
        self.init { try await nats.request($0, to: $1, timeout: Self.timeout).payload }
    }

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
            let question = try [UInt8](WireJSON.encode(CourierPlacesQuestion(part)))
            let answer = try await WireJSON.decode(
                CourierPlaces.self, from: Data(request(question, Subject.placesWanted)))
            if let fault = answer.fault { throw Unanswered(fault: fault) }
            for one in answer.places {
                // Rounded again: what a page shows does not depend on the other service's version.
                places[one.courier] = CourierOnMap(rounded: CourierOnMap.rounded(one.place), at: one.at)
            }
        }
        return places
    }

    private struct Unanswered: Error, CustomStringConvertible {
        let fault: String
        var description: String { fault }
    }
}
