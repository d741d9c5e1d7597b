import Foundation
import OrderDomain

/// A courier's action on one of their deliveries.
enum CourierAction: Hashable, Sendable {
    case atStore, pickedUp, atDoor, handedOver
    /// The age check at the door; a refused one sends the goods back.
    case agePassed, ageRefused
    /// Asks the shop to decide about a hand-over for which a proof is missing.
    case unproven
    case nobodyHome
    case bringingBack, broughtBack
    /// Pauses the delivery until the shop has resolved the problem.
    case problem(CourierProblem)
    /// Withdraws a problem that the courier reported.
    case solved
    /// Reports that a hand-over was none, or at the wrong door; the shop decides what follows.
    case mistaken

    /// The legal actions, the likeliest first, without problems; see ``canReportProblem(of:)``.
    ///
    /// While a problem that the courier reported holds the delivery, the only action withdraws it; while the shop holds
    /// the delivery, there is none. Until the goods are fetched from another courier, the only action confirms that.
    static func legal(for delivery: Delivery) -> [CourierAction] {
        if delivery.flags.contains(.onHold) { return delivery.reportedProblem == nil ? [] : [.solved] }
        if delivery.fetchedFrom != nil { return [.pickedUp] }
        switch delivery.status {
        case .preparing(let store, let courier):
            let isPacked = store == .picking || store == .staged
            let atStore: [CourierAction] = courier == .assigned || courier == .toStore ? [.atStore] : []
            return atStore + (courier != .unassigned && isPacked ? [.pickedUp] : [])
        case .handedOver(.pickedUp), .handedOver(.enRoute), .handedOver(.arriving):
            return [.atDoor] + handOver(of: delivery)
        case .handedOver(.atDoor): return handOver(of: delivery) + [.nobodyHome]
        case .handedOver(.attempted): return [.atDoor, .bringingBack]
        case .handedOver(.returning): return [.broughtBack]
        case .handedOver(.delivered), .handedOver(.returned), .handedOver(.cancelled), .handedOver(.failed): return []
        }
    }

    /// The hand-over, or while proofs are missing the checks that a press makes.
    private static func handOver(of delivery: Delivery) -> [CourierAction] {
        guard !delivery.missingProofs.isEmpty else { return [.handedOver] }
        let age: [CourierAction] = delivery.canCheckAge ? [.agePassed, .ageRefused] : []
        return age + (delivery.proof?.undecidedSince == nil && needsShop(delivery) ? [.unproven] : [])
    }

    /// Whether the shop may have to decide about a missing proof: a customer has no PIN at hand, a camera fails, or a bag
    /// has lost its barcode.
    private static func needsShop(_ delivery: Delivery) -> Bool {
        delivery.missingProofs.contains { kind in
            switch kind {
            case .pin: delivery.status == .handedOver(.atDoor) || delivery.proof?.pinTriesLeft == 0
            case .age: !delivery.canCheckAge
            case .photo, .signature, .barcode: true
            }
        }
    }

    /// Whether a problem may be reported: of every live delivery that is not held already; see ``isLegal(for:)``.
    static func canReportProblem(of delivery: Delivery) -> Bool {
        !delivery.status.isEnded && !delivery.flags.contains(.onHold)
    }

    /// Whether the delivery is already as the action would make it, such as at the door by the courier's position, or
    /// further on.
    ///
    /// The change may still have an effect where a provider has reported the attempt: the courier's word confirms it.
    func isDone(in delivery: Delivery, at now: Date) -> Bool {
        if self == .nobodyHome, delivery.isAttempted {
            // A hand-over that was reported since is another visit's.
            return delivery.proof?.claim.map { $0.effectiveAt <= delivery.statusSince } ?? true
        }
        var next = delivery
        // An action that the delivery refuses is not done.
        return (try? next.apply(change(of: delivery), at: now)) == false
    }

    /// The change of a delivery by the action: none where the delivery is past it.
    func change(of delivery: Delivery) -> DeliveryChange {
        isPassed(by: delivery) || isExplained(in: delivery) ? .status(delivery.status.code, reason: nil) : change
    }

    /// Whether the action is a failed attempt whose reason the customer reads already; that reason stays.
    private func isExplained(in delivery: Delivery) -> Bool {
        self == .nobodyHome && delivery.isAttempted && delivery.customerReason != nil
    }

    /// Whether the action is a visit to the store or a pickup, and the goods have left the store with the courier since.
    ///
    /// Of a reopened delivery the pickup may be that of the former episode, as the press may be.
    private func isPassed(by delivery: Delivery) -> Bool {
        guard self == .atStore || self == .pickedUp, delivery.fetchedFrom == nil, delivery.episode == 1 else {
            return false
        }
        switch delivery.status {
        case .handedOver(.pickedUp), .handedOver(.enRoute), .handedOver(.arriving), .handedOver(.atDoor),
            .handedOver(.delivered):
            return true
        case .preparing, .handedOver(.attempted), .handedOver(.returning), .handedOver(.returned),
            .handedOver(.cancelled), .handedOver(.failed):
            return false
        }
    }

    /// Whether a press of the action means after a change what it meant before it: it is as possible, of the same courier,
    /// and about the same goods or the same door.
    ///
    /// A press that is possible neither before nor after the change loses nothing by it, and a problem loses nothing by
    /// the shop's own hold, which would replace its reason.
    func keepsMeaning(from before: Delivery, to after: Delivery, at now: Date) -> Bool {
        func isPossible(in delivery: Delivery) -> Bool { isLegal(for: delivery) || isDone(in: delivery, at: now) }
        guard after.courier?.id == before.courier?.id else { return false }
        if case .problem = self, after.flags.contains(.onHold) { return true }
        guard isPossible(in: after) || !isPossible(in: before) else { return false }
        return switch self {
        // A substitute that the customer takes now is not in the bag that has left.
        case .pickedUp:
            after.items.count == before.items.count
                && zip(before.items, after.items).allSatisfy {
                    $0.status != .substituteProposed || $1.status != .substituted
                }
        // After a failed attempt the action begins the next one.
        case .atDoor: after.hasDoor(at: before.door) && !(after.isAttempted && !before.isAttempted)
        // The press counts before another's report of the attempt, so that the attempt is the courier's word.
        case .nobodyHome: after.hasDoor(at: before.door) && !(after.isAttempted && isLegal(for: before))
        // The check was made before another's report of the attempt.
        case .ageRefused: after.hasDoor(at: before.door) && !(after.isAttempted && !before.isAttempted)
        case .handedOver, .agePassed, .unproven: after.hasDoor(at: before.door)
        case .atStore, .bringingBack, .broughtBack, .problem, .solved, .mistaken: true
        }
    }

    /// Domain seconds since its end is known that a delivery stays on the courier's page, and that a mistake can be
    /// reported.
    static let endedSeconds: TimeInterval = 12 * 3_600

    /// Whether the action is about an end of too long ago, which the page does not show any more.
    func isTooOld(for delivery: Delivery, at now: Date) -> Bool {
        self == .mistaken && delivery.endKnownAt.map { now.timeIntervalSince($0) > Self.endedSeconds } ?? false
    }

    /// Whether the courier may report that the hand-over was a mistake: of a delivered delivery without an open dispute.
    ///
    /// The flag alone does not decide: a delivery that was reopened keeps it for good.
    static func canReportMistake(of delivery: Delivery) -> Bool {
        delivery.status == .handedOver(.delivered) && delivery.disputedAt == nil
    }

    /// Whether a refused age check counts where the attempt is on record before it, as by a provider's report.
    ///
    /// No button offers it there: a page that was not read again since sends it.
    private static func canRefuseAge(afterAttemptOf delivery: Delivery) -> Bool {
        delivery.isAttempted && delivery.canCheckAge && delivery.fetchedFrom == nil && !delivery.flags.contains(.onHold)
    }

    func isLegal(for delivery: Delivery) -> Bool {
        switch self {
        // What was handed over by the courier's word is in no vehicle.
        case .problem(.vehicle): Self.canReportProblem(of: delivery) && delivery.proof?.handedOverAt == nil
        case .problem: Self.canReportProblem(of: delivery)
        case .mistaken: Self.canReportMistake(of: delivery)
        case .ageRefused: Self.legal(for: delivery).contains(self) || Self.canRefuseAge(afterAttemptOf: delivery)
        case .atStore, .pickedUp, .atDoor, .handedOver, .agePassed, .unproven, .nobodyHome, .bringingBack, .broughtBack,
            .solved:
            Self.legal(for: delivery).contains(self)
        }
    }

    var change: DeliveryChange {
        switch self {
        case .atStore: .status(.atStore, reason: nil)
        case .pickedUp: .status(.pickedUp, reason: nil)
        case .atDoor: .status(.atDoor, reason: nil)
        case .handedOver: .status(.delivered, reason: nil)
        case .agePassed: .age(isPassed: true)
        case .ageRefused: .age(isPassed: false)
        case .unproven: .proofDecision
        case .nobodyHome:
            .status(.attempted, reason: "nobody opened", notice: CustomerNotice(reason: .nobodyHome))
        case .bringingBack: .status(.returning, reason: "the courier brings it back")
        case .broughtBack: .status(.returned, reason: nil)
        case .problem(let problem): .hold(reason: problem.reason)
        case .solved: .release
        case .mistaken: .dispute(reason: "courier: it was not handed over as reported")
        }
    }
}

extension Delivery {
    fileprivate var isAttempted: Bool { status == .handedOver(.attempted) }
}

extension CourierAction: RawRepresentable {
    /// The action's text in forms and rows: `at_door`, `problem:no_access`.
    var rawValue: String {
        switch self {
        case .atStore: "at_store"
        case .pickedUp: "picked_up"
        case .atDoor: "at_door"
        case .handedOver: "handed_over"
        case .agePassed: "age_passed"
        case .ageRefused: "age_refused"
        case .unproven: "unproven"
        case .nobodyHome: "nobody_home"
        case .bringingBack: "bringing_back"
        case .broughtBack: "brought_back"
        case .problem(let problem): "problem:" + problem.rawValue
        case .solved: "solved"
        case .mistaken: "mistaken"
        }
    }

    init?(rawValue: String) {
        guard let action = Self.all.first(where: { $0.rawValue == rawValue }) else { return nil }
        self = action
    }

    static let all: [CourierAction] =
        [
            .atStore, .pickedUp, .atDoor, .handedOver, .agePassed, .ageRefused, .unproven, .nobodyHome, .bringingBack,
            .broughtBack, .solved, .mistaken,
        ] + CourierProblem.allCases.map(problem)
}
