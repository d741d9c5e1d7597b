import LiveActivity

/// A sample delivery in each status: Mira brings two bags from Nordhavn on her bicycle.
struct SampleDelivery {
    /// 2026-11-21 15:00 in Copenhagen, epoch seconds.
    private static let afternoon = 1_795_269_600
    private static let link = "https://doorstep.example/l/q3Zk7bN2mX0aTt5uYw"

    let status: DeliverySnapshot.Status
    let flags: Set<DeliverySnapshot.Flag>
    var store = "Nordhavn"
    var courierName = "Mira"
    var item = "Whole milk"
    var substitute = "Oat milk"
    var missingItem = "Rye bread"
    var courierTracking = DeliverySnapshot.CourierTracking.tracked

    private static func clock(_ hour: Int, _ minute: Int, _ second: Int = 0) -> Int {
        afternoon + (hour - 15) * 3600 + minute * 60 + second
    }

    /// The time at which the card is drawn, epoch seconds.
    var now: Int {
        switch status {
        case .placed: Self.clock(16, 41)
        case .accepted: Self.clock(16, 52)
        case .picking: Self.clock(17, 24)
        case .staged: Self.clock(17, 48)
        case .pickedUp: Self.clock(18, 6)
        case .enRoute: Self.clock(18, 17, 20)
        case .arriving: Self.clock(18, 23, 35)
        case .atDoor: Self.clock(18, 27)
        case .attempted: Self.clock(18, 34)
        case .returning: Self.clock(18, 41)
        case .delivered: Self.clock(18, 29)
        case .returned: Self.clock(19, 12)
        case .cancelled: Self.clock(17, 12)
        case .failed: Self.clock(18, 51)
        }
    }

    /// The estimated arrival; nil without an estimate.
    var arrival: Window? {
        switch status {
        case .placed, .accepted: nil
        case .picking, .staged: Window(from: Self.clock(18, 15), to: Self.clock(18, 40))
        case .pickedUp, .enRoute:
            flags.contains(.courierSilent)
                ? Window(from: Self.clock(18, 25), to: Self.clock(18, 45))
                : Window(from: Self.clock(18, 24), to: Self.clock(18, 31))
        case .arriving: Window(from: Self.clock(18, 24), to: Self.clock(18, 27))
        case .atDoor, .attempted, .returning, .delivered, .returned, .cancelled, .failed: nil
        }
    }

    /// The completed share of the way to the door, from 0 to 1.
    var legProgress: Double? {
        switch status {
        case .pickedUp: 0.05
        case .enRoute: 0.55
        case .arriving: 0.88
        case .placed, .accepted, .picking, .staged, .atDoor, .attempted, .returning, .delivered, .returned, .cancelled,
            .failed:
            nil
        }
    }

    var snapshot: DeliverySnapshot {
        DeliverySnapshot(
            activity: "d-1042-1.1", delivery: "d-1042-1", reference: "G-1042", store: store,
            timeZone: "Europe/Copenhagen", bag: .init(number: 1, count: 2), itemCount: 18, foundCount: found,
            substitutedCount: found == 17 ? 1 : 0, status: status, courierStatus: courierStatus, flags: flags,
            courier: courier, promise: promise, originalPromise: originalPromise, isLeftAtDoor: status == .delivered,
            proposal: proposal, links: verbs.map { .init(verb: $0, url: "\(Self.link)/\($0.rawValue)") },
            version: rank, statusSince: now - 60, endedAt: isEnded ? now - 120 : nil,
            pickingSince: rank >= 3 ? Self.clock(17, 5) : nil, items: items, reason: reason, nextStep: nextStep,
            refund: status == .failed ? Amount(minorUnits: 38_950, currency: "DKK") : nil,
            courierTracking: courierTracking)
    }

    /// The items of the basket that were not picked as ordered.
    private var items: [DeliverySnapshot.Item] {
        guard found > 0 else { return [] }
        let swap = DeliverySnapshot.Substitute(name: substitute, quantity: 1, priceDifference: Self.priceDifference)
        return [
            .init(
                name: item, quantity: 1, state: proposal != nil ? .proposed : found == 17 ? .substituted : .pending,
                substitute: proposal != nil || found == 17 ? swap : nil),
            .init(
                name: missingItem, quantity: 1, state: .soldOut, refund: Amount(minorUnits: 2500, currency: "DKK")),
        ]
    }

    private static let priceDifference = Amount(minorUnits: 450, currency: "DKK")

    private var reason: DeliverySnapshot.Reason? {
        switch status {
        case .attempted, .returning, .returned, .failed: .nobodyHome
        case .cancelled: .customerRequest
        case .placed, .accepted, .picking, .staged, .pickedUp, .enRoute, .arriving, .atDoor, .delivered: nil
        }
    }

    private var nextStep: DeliverySnapshot.NextStep? {
        switch status {
        case .returned: .collectAtStore
        case .failed: .orderAgain
        case .placed, .accepted, .picking, .staged, .pickedUp, .enRoute, .arriving, .atDoor, .attempted, .returning,
            .delivered, .cancelled:
            nil
        }
    }

    private var rank: Int { (DeliverySnapshot.Status.allCases.firstIndex(of: status) ?? 0) + 1 }

    var isEnded: Bool {
        switch status {
        case .placed, .accepted, .picking, .staged, .pickedUp, .enRoute, .arriving, .atDoor, .attempted, .returning:
            false
        case .delivered, .returned, .cancelled, .failed: true
        }
    }

    private var found: Int {
        switch status {
        case .placed, .accepted: 0
        case .picking: 12
        case .cancelled: 6
        case .staged, .pickedUp, .enRoute, .arriving, .atDoor, .attempted, .returning, .delivered, .returned, .failed:
            17
        }
    }

    private var courierStatus: DeliverySnapshot.CourierStatus? {
        switch status {
        case .placed, .accepted, .cancelled: .unassigned
        case .picking: flags.contains(.reassigning) ? .unassigned : .assigned
        case .staged: flags.contains(.reassigning) ? .unassigned : .atStore
        case .pickedUp, .enRoute, .arriving, .atDoor, .attempted, .returning, .delivered, .returned, .failed: nil
        }
    }

    private var courier: Courier? {
        if courierStatus == .unassigned { return nil }
        let stops: Int? = status == .pickedUp || status == .enRoute ? 2 : nil
        return Courier(
            name: courierName, vehicle: "bicycle", stopsBefore: stops,
            silentSince: flags.contains(.courierSilent) ? now - 320 : nil)
    }

    private var originalPromise: Window { Window(from: Self.clock(17, 45), to: Self.clock(18, 45)) }

    private var promise: Window {
        flags.contains(.rescheduled) ? Window(from: Self.clock(19, 0), to: Self.clock(20, 0)) : originalPromise
    }

    private var proposal: DeliverySnapshot.Proposal? {
        guard flags.contains(.needsCustomer) else { return nil }
        return DeliverySnapshot.Proposal(
            id: "p-1", item: item, substitute: substitute, quantity: 1, answerUntil: now + 600,
            priceDifference: Self.priceDifference)
    }

    private var verbs: [Verb] {
        if isEnded { return [.details] }
        var verbs: [Verb] = [.details]
        if courier != nil { verbs.append(.contactCourier) }
        if proposal != nil { verbs += [.approveSubstitution, .refuseSubstitution] }
        switch status {
        case .placed, .accepted, .picking, .staged: verbs += [.leaveAtDoor, .cancel]
        case .pickedUp, .enRoute, .arriving: verbs.append(.leaveAtDoor)
        case .atDoor, .attempted, .returning, .delivered, .returned, .cancelled, .failed: break
        }
        return verbs
    }
}
