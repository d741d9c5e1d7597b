@testable import LiveActivity

/// Sample deliveries, one for each status and possible set of flags.
enum Sample {
    /// 2026-11-21 18:00 in Copenhagen.
    static let sixPM = 1_795_280_400
    static let statuses = DeliverySnapshot.Status.allCases
    static let preparing: Set<DeliverySnapshot.Status> = [.placed, .accepted, .picking, .staged]
    static let ends: Set<DeliverySnapshot.Status> = [.delivered, .returned, .cancelled, .failed]

    /// A status with at most one flag, and before pickup the courier's status.
    struct Case: Hashable, CustomStringConvertible {
        let status: DeliverySnapshot.Status
        let courierStatus: DeliverySnapshot.CourierStatus?
        let flags: Set<DeliverySnapshot.Flag>

        var description: String {
            var words = [status.rawValue]
            if let courierStatus, courierStatus != .toStore { words.append(courierStatus.rawValue) }
            return (words + flags.map(\.rawValue).sorted()).joined(separator: "-")
        }

        var delivery: DeliverySnapshot { Sample.delivery(status, courierStatus: courierStatus, flags: flags) }
        var isEnd: Bool { Sample.ends.contains(status) }
        var step: ActivityStep { .after(delivery, arrival: Sample.arrival(of: status), step: 0) }
    }

    /// Every status alone, every flag that can be true on it, and every status of the courier before pickup.
    static let cases: [Case] = statuses.flatMap { status in
        let alone: [Case] =
            preparing.contains(status)
            ? DeliverySnapshot.CourierStatus.allCases.map { Case(status: status, courierStatus: $0, flags: []) }
            : [Case(status: status, courierStatus: nil, flags: [])]
        let flagged = flags(on: status).map { flag in
            Case(
                status: status,
                courierStatus: preparing.contains(status) ? (flag == .reassigning ? .unassigned : .toStore) : nil,
                flags: [flag])
        }
        return alone + flagged
    }

    /// Every status with every set of the flags that can be true on it.
    static let allSets: [Case] = statuses.flatMap { status in
        subsets(of: flags(on: status)).map { flags in
            Case(
                status: status,
                courierStatus: preparing.contains(status)
                    ? (flags.contains(.reassigning) ? .unassigned : .atStore) : nil,
                flags: flags)
        }
    }

    /// The sets of flags that can be true on one status: one case of a test, since the library's cost of a case grows with
    /// their number.
    struct Sets: Sendable, CustomStringConvertible {
        let status: DeliverySnapshot.Status
        let cases: [Case]

        var description: String { status.rawValue }
    }

    /// Every status with every set of the flags that can be true on it, by status.
    static let setsByStatus: [Sets] = statuses.map { status in
        Sets(status: status, cases: allSets.filter { $0.status == status })
    }

    /// Every status with as many flags as can be true at once.
    static let largestSets = allSets.filter { one in
        !allSets.contains { $0.status == one.status && $0.flags.isStrictSuperset(of: one.flags) }
    }

    static func flags(on status: DeliverySnapshot.Status) -> [DeliverySnapshot.Flag] {
        if ends.contains(status) { return [.delayed, .rescheduled, .disputed] }
        if preparing.contains(status) { return DeliverySnapshot.Flag.allCases }
        return [.delayed, .rescheduled, .onHold, .courierSilent, .batched, .disputed]
    }

    static func arrival(of status: DeliverySnapshot.Status) -> Window? {
        switch status {
        case .pickedUp, .enRoute: Window(from: sixPM + 24 * 60, to: sixPM + 31 * 60)
        case .arriving: Window(from: sixPM + 25 * 60, to: sixPM + 28 * 60)
        default: nil
        }
    }

    static func delivery(
        _ status: DeliverySnapshot.Status, courierStatus: DeliverySnapshot.CourierStatus? = nil,
        flags: Set<DeliverySnapshot.Flag> = [], name: (String) -> String = { $0 }
    ) -> DeliverySnapshot {
        let isPreparing = preparing.contains(status)
        let courierStatus = isPreparing ? courierStatus ?? .toStore : nil
        let hasCourier = isPreparing ? courierStatus != .unassigned : true
        let silentSince = flags.contains(.courierSilent) ? sixPM + 12 * 60 : nil
        let isEnd = ends.contains(status)
        let promised = Window(from: sixPM + 15 * 60, to: sixPM + 45 * 60)
        return DeliverySnapshot(
            activity: "0b9f8a52-9d6e-4a8e-9a55-3f1f1a2b3c4d-1", delivery: "0b9f8a52-9d6e-4a8e-9a55-3f1f1a2b3c4d",
            reference: "G-1042", store: name("Nordhavn"), timeZone: "Europe/Copenhagen",
            bag: .init(number: 1, count: 2),
            itemCount: 18, foundCount: status == .picking ? 7 : status == .placed || status == .accepted ? 0 : 17,
            substitutedCount: status == .placed || status == .accepted ? 0 : 1, status: status,
            courierStatus: courierStatus, flags: flags,
            courier: hasCourier
                ? Courier(
                    name: name("Mira"), vehicle: "bicycle", stopsBefore: flags.contains(.batched) ? 2 : nil,
                    silentSince: silentSince)
                : nil,
            promise: flags.contains(.rescheduled)
                ? Window(from: sixPM + 60 * 60, to: sixPM + 90 * 60) : promised,
            originalPromise: promised, isLeftAtDoor: false,
            proposal: flags.contains(.needsCustomer)
                ? .init(
                    id: "i-3-1", item: name("Whole milk 1 l"), substitute: name("Organic milk 1 l"), quantity: 1,
                    answerUntil: sixPM + 20 * 60)
                : nil,
            links: links(status, flags: flags, hasCourier: hasCourier), version: 7, statusSince: sixPM + 10 * 60,
            endedAt: isEnd ? sixPM + 27 * 60 : nil,
            pickingSince: status == .placed || status == .accepted ? nil : sixPM - 30 * 60)
    }

    /// The links whose verbs are legal then, each as long as a link gets.
    static func links(
        _ status: DeliverySnapshot.Status, flags: Set<DeliverySnapshot.Flag>, hasCourier: Bool
    ) -> [DeliverySnapshot.Link] {
        Verb.allCases.filter { verb in
            switch verb {
            case .details: true
            case .contactCourier: hasCourier && !ends.contains(status)
            case .leaveAtDoor: preparing.contains(status) || [.pickedUp, .enRoute, .arriving].contains(status)
            case .approveSubstitution, .refuseSubstitution: flags.contains(.needsCustomer)
            case .cancel: preparing.contains(status)
            case .feedback: status == .delivered
            // The sample is not left at the door.
            case .handToMe: false
            }
        }
        .map { verb in
            let origin = "https://doorstep.example/l/\(verb.rawValue)-"
            return .init(verb: verb, url: origin + String(repeating: "x", count: 120 - origin.utf8.count))
        }
    }

    private static func subsets(of flags: [DeliverySnapshot.Flag]) -> [Set<DeliverySnapshot.Flag>] {
        flags.reduce([[]]) { sets, flag in sets + sets.map { $0.union([flag]) } }
            .filter { !($0.contains(.reassigning) && ($0.contains(.courierSilent) || $0.contains(.batched))) }
    }
}
