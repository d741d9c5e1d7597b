import Foundation
import OrderDomain

/// A press for several stops at once, such as all bags of one address.
struct StopGroup: Hashable, Sendable {
    let action: CourierAction
    /// Two or more, in the order of the page.
    let deliveries: [DeliveryID]
    /// The stops' common place: the name of a store or of the courier who has the goods, or an address; nil where they
    /// have none.
    let place: String?

    /// The presses that several stops have in common: at one store or courier, at one door, and for a vehicle that has broken down.
    ///
    /// - Parameters:
    ///   - stops: the live ones, in the order of the page.
    ///   - now: domain time.
    static func offered(for stops: [CourierStop], at now: Date) -> [StopGroup] {
        let members = stops.map { Member(stop: $0, expected: $0.expected(at: now)) }
        let vehicle = CourierAction.problem(.vehicle)
        return [CourierAction.pickedUp, .atDoor, .handedOver].flatMap { groups($0, of: members) }
            + group(vehicle, of: members.filter { vehicle.isLegal(for: $0.expected) })
            + group(
                .solved,
                of: members.filter {
                    CourierAction.solved.isLegal(for: $0.expected)
                        && $0.expected.reason == CourierProblem.vehicle.reason
                })
    }

    /// Whether the action may be pressed together with others.
    ///
    /// Checks at the door are made bag by bag, and a pickup closes the questions that wait for the customer.
    static func allows(_ action: CourierAction, for delivery: Delivery) -> Bool {
        guard action.isLegal(for: delivery) else { return false }
        return switch action {
        case .handedOver: delivery.handoff.verification == .none
        case .pickedUp: !delivery.flags.contains(.needsCustomer)
        default: true
        }
    }

    /// A stop, and its delivery after a waiting press.
    private struct Member {
        let stop: CourierStop
        let expected: Delivery

        /// The place that identifies a group, and its text.
        func place(of action: CourierAction) -> (key: String, text: String) {
            if action == .pickedUp {
                if let carrier = expected.fetchedFrom { return ("from \(carrier.id)", carrier.name) }
                return (expected.store.id.rawValue, expected.store.name)
            }
            let dropOff = stop.record.dropOff
            return (stop.door, dropOff?.address?.line ?? dropOff?.recipient?.name ?? expected.reference)
        }
    }

    /// The groups of stops at one place that allow an action, in the order of their first stops.
    private static func groups(_ action: CourierAction, of members: [Member]) -> [StopGroup] {
        var keys: [String] = []
        var byPlace: [String: [Member]] = [:]
        for member in members where allows(action, for: member.expected) {
            let key = member.place(of: action).key
            if byPlace[key] == nil { keys.append(key) }
            byPlace[key, default: []].append(member)
        }
        return keys.flatMap { key in
            var found = byPlace[key] ?? []
            // The store is still picking the others.
            let packed = found.filter { $0.expected.status.code == .staged }
            if !packed.isEmpty { found = packed }
            return group(action, of: found, at: found.first?.place(of: action).text)
        }
    }

    /// The group of the stops; empty for a single stop.
    private static func group(
        _ action: CourierAction, of members: [Member], at place: String? = nil
    ) -> [StopGroup] {
        guard members.count > 1 else { return [] }
        return [StopGroup(action: action, deliveries: members.map(\.expected.id), place: place)]
    }
}
