import Foundation
import Messages
import OrderDomain
import Synchronization
import WireCoding

@testable import Orders

/// Answers in place of `courier-eta` where couriers are.
final class CourierPlacesByTest: Sendable {
    private let places = Mutex<[CourierID: CourierPlaces.Place]?>([:])
    private let questions = Mutex<[CourierPlacesQuestion]>([])

    /// - Parameter place: of the courier's newest fix.
    func set(_ place: Coordinate?, of courier: CourierID, at time: Date) {
        places.withLock { places in
            var known = places ?? [:]
            known[courier] = place.map {
                CourierPlaces.Place(courier, place: $0, at: Int(time.timeIntervalSince1970) / 5 * 5)
            }
            places = known
        }
    }

    /// Answers nothing any more.
    func goAway() { places.withLock { $0 = nil } }

    /// What was asked, the last at the end.
    var asked: [CourierPlacesQuestion] { questions.withLock(\.self) }

    var client: CourierPlacesClient {
        CourierPlacesClient { payload, _ in
            let question = try WireJSON.decode(CourierPlacesQuestion.self, from: .init(payload))
            self.questions.withLock { $0.append(question) }
            guard let places = self.places.withLock(\.self) else { throw IsAway() }
            let answered = question.couriers.compactMap { wanted in
                places[wanted.courier].flatMap { $0.at >= wanted.since - 5 ? $0 : nil }
            }
            return try [UInt8](WireJSON.encode(CourierPlaces(answered)))
        }
    }

    private struct IsAway: Error {}
}
