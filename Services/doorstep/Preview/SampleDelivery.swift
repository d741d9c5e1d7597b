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

    /// The facts that a status alone decides.
    private struct Moment {
        let now: Int
        /// Pieces found.
        var found = 17
        var arrival: Window?
        var legProgress: Double?
        var reason: DeliverySnapshot.Reason?
        var nextStep: DeliverySnapshot.NextStep?
    }

    private var moment: Moment {
        let picked = Window(from: Self.clock(18, 15), to: Self.clock(18, 40))
        let ridden =
            flags.contains(.courierSilent)
            ? Window(from: Self.clock(18, 25), to: Self.clock(18, 45))
            : Window(from: Self.clock(18, 24), to: Self.clock(18, 31))
        let near = Window(from: Self.clock(18, 24), to: Self.clock(18, 27))
        return switch status {
        case .placed: Moment(now: Self.clock(16, 41), found: 0)
        case .accepted: Moment(now: Self.clock(16, 52), found: 0)
        case .picking: Moment(now: Self.clock(17, 24), found: 12, arrival: picked)
        case .staged: Moment(now: Self.clock(17, 48), arrival: picked)
        case .pickedUp: Moment(now: Self.clock(18, 6), arrival: ridden, legProgress: 0.05)
        case .enRoute: Moment(now: Self.clock(18, 17, 20), arrival: ridden, legProgress: 0.55)
        case .arriving: Moment(now: Self.clock(18, 23, 35), arrival: near, legProgress: 0.88)
        case .atDoor: Moment(now: Self.clock(18, 27))
        case .attempted: Moment(now: Self.clock(18, 34), reason: .nobodyHome)
        case .returning: Moment(now: Self.clock(18, 41), reason: .nobodyHome)
        case .delivered: Moment(now: Self.clock(18, 29))
        case .returned: Moment(now: Self.clock(19, 12), reason: .nobodyHome, nextStep: .collectAtStore)
        case .cancelled: Moment(now: Self.clock(17, 12), found: 6, reason: .customerRequest)
        case .failed: Moment(now: Self.clock(18, 51), reason: .nobodyHome, nextStep: .orderAgain)
        }
    }

    /// The time at which the card is drawn, epoch seconds.
    var now: Int { moment.now }

    /// The estimated arrival; nil without an estimate.
    var arrival: Window? { moment.arrival }

    /// The completed share of the way to the door, from 0 to 1.
    var legProgress: Double? { moment.legProgress }

    private var found: Int { moment.found }

    var snapshot: DeliverySnapshot {
        DeliverySnapshot(
            activity: "d-1042-1.1", delivery: "d-1042-1", reference: "G-1042", store: store,
            timeZone: "Europe/Copenhagen", bag: .init(number: 1, count: 2), itemCount: 18, foundCount: found,
            substitutedCount: found == 17 ? 1 : 0, status: status, courierStatus: courierStatus, flags: flags,
            courier: courier, promise: promise, originalPromise: originalPromise, isLeftAtDoor: status == .delivered,
            proposal: proposal, links: verbs.map { .init(verb: $0, url: "\(Self.link)/\($0.rawValue)") },
            version: rank, statusSince: now - 60, endedAt: isEnded ? now - 120 : nil,
            pickingSince: rank >= 3 ? Self.clock(17, 5) : nil, items: items, reason: moment.reason,
            nextStep: moment.nextStep,
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

    private var rank: Int { (DeliverySnapshot.Status.allCases.firstIndex(of: status) ?? 0) + 1 }

    var isEnded: Bool { [.delivered, .returned, .cancelled, .failed].contains(status) }

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
        if isEnded { return status == .delivered ? [.feedback, .details] : [.details] }
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
