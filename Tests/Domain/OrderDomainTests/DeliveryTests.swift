import Foundation
import OrderDomain
import Testing

@Suite("Delivery")
struct DeliveryTests {
    @Test(
        "A status change follows the transitions, raises the version by one, and is no error for the present status",
        arguments: DeliveryStatus.all)
    func statusChanges(status: DeliveryStatus) throws {
        let before = try delivery(in: status)
        #expect(before.status == status)
        for code in StatusCode.allCases {
            var after = before
            let isPresent =
                code == status.code || code == status.courierStatus?.code
                || code == .cancelled && status == .handedOver(.returning)
            let expected = isPresent ? status : try? status.moved(to: code)
            do {
                let hasChanged = try after.apply(.status(code, reason: "because"), at: minutes(1))
                #expect(after.status == expected)
                #expect(hasChanged == !isPresent)
                #expect(after.version == before.version + (hasChanged ? 1 : 0))
                if hasChanged { #expect(after.statusSince == minutes(1) && after.reason == "because") }
            } catch {
                #expect(after == before)
                switch error {
                case .transition(let refusal): #expect(expected == nil && refusal.from == status)
                case .courierMissing:
                    #expect(status.courierStatus == .unassigned && code.region != .courier(.unassigned))
                default: Issue.record("\(code) was refused with \(error)")
                }
            }
        }
    }

    @Test(
        "An end has a time, and keeps only the flags of its record",
        arguments: [
            StatusCode.delivered, .returned, .cancelled, .failed,
        ])
    func ends(code: StatusCode) throws {
        var delivery = placedDelivery()
        for change: DeliveryChange in [
            .courier(anna), .stopsBefore(2), .promise(promise(70, 100)), .hold(reason: "rain"),
            .milestone(.late, assignmentEpoch: 1), .milestone(.silent, assignmentEpoch: 1),
            .item(milk, .proposed(oatMilk, answerUntil: minutes(20))),
        ] {
            #expect(try delivery.apply(change, at: minutes(1)))
        }
        #expect(delivery.flags == [.batched, .rescheduled, .onHold, .delayed, .courierSilent, .needsCustomer])
        #expect(try delivery.apply(.override(code, reason: "found out later"), at: minutes(2)))
        #expect(delivery.endedAt == minutes(2))
        #expect(delivery.flags == [.rescheduled, .delayed])
        #expect(delivery.stopsBefore == 0 && delivery.needsCustomerUntil == nil)
    }

    @Test("A cancel after pickup begins the return, once")
    func cancelAfterPickup() throws {
        var delivery = try delivery(in: .handedOver(.enRoute))
        #expect(try delivery.apply(.status(.cancelled, reason: "not home"), at: minutes(5)))
        #expect(delivery.status == .handedOver(.returning) && delivery.endedAt == nil)
        #expect(try !delivery.apply(.status(.cancelled, reason: "again"), at: minutes(6)))
        #expect(try !delivery.apply(.override(.cancelled, reason: "again"), at: minutes(6)))
        #expect(delivery.reason == "not home")
    }

    @Test("A card may start when picking begins, or when a later status is first set")
    func pickingSince() throws {
        var delivery = placedDelivery()
        _ = try delivery.apply(.status(.accepted, reason: nil), at: minutes(1))
        #expect(delivery.pickingSince == nil)
        _ = try delivery.apply(.status(.picking, reason: nil), at: minutes(2))
        _ = try delivery.apply(.status(.staged, reason: nil), at: minutes(3))
        _ = try delivery.apply(.status(.picking, reason: nil), at: minutes(4))
        #expect(delivery.pickingSince == minutes(2))
        var skipped = placedDelivery()
        _ = try skipped.apply(.override(.staged, reason: "the store forgot"), at: minutes(9))
        #expect(skipped.pickingSince == minutes(9))
    }

    @Test("A delivery that is lost in the store was never picked up")
    func lostInStore() throws {
        var delivery = placedDelivery()
        _ = try delivery.apply(.override(.failed, reason: "fire"), at: minutes(1))
        #expect(delivery.pickedUpAt == nil && delivery.foundCount == 0)
    }

    @Test("A hold stays until released, and its reason goes with it")
    func hold() throws {
        var delivery = try delivery(in: .handedOver(.enRoute))
        #expect(try delivery.apply(.hold(reason: "flat tyre"), at: minutes(1)))
        #expect(delivery.phase == .problem && delivery.holder == .orders && delivery.reason == "flat tyre")
        #expect(try !delivery.apply(.hold(reason: "flat tyre"), at: minutes(2)))
        #expect(try delivery.apply(.milestone(.arriving, assignmentEpoch: delivery.assignmentEpoch), at: minutes(2)))
        #expect(delivery.phase == .problem && delivery.reason == "flat tyre")
        #expect(try delivery.apply(.hold(reason: "lost"), at: minutes(2)) && delivery.reason == "lost")
        #expect(try delivery.apply(.release, at: minutes(3)))
        #expect(delivery.phase == .arriving && delivery.holder == .courierETA && delivery.reason == nil)
        #expect(try !delivery.apply(.release, at: minutes(4)))
    }

    @Test(
        "A hold keeps its reason through statuses with one, and an end has its own or none",
        arguments: [nil, "lost"] as [String?])
    func reasonOfHold(reason: String?) throws {
        var delivery = try delivery(in: .handedOver(.enRoute))
        _ = try delivery.apply(.hold(reason: "flat tyre"), at: minutes(1))
        _ = try delivery.apply(.status(.atDoor, reason: "mended"), at: minutes(2))
        #expect(delivery.reason == "flat tyre" && delivery.flags.contains(.onHold))
        _ = try delivery.apply(.status(.failed, reason: reason), at: minutes(3))
        #expect(delivery.reason == reason)
    }

    @Test(
        "A release of a delivery that its courier left at the door begins the approach again, and no position does before",
        arguments: [TailStatus.enRoute, .arriving, .atDoor])
    func releasedAfterProblem(tail: TailStatus) throws {
        var delivery = try delivery(in: .handedOver(tail))
        let epoch = delivery.assignmentEpoch
        for reason in [CourierProblem.noAccess.reason, "calling the customer"] {
            #expect(try delivery.apply(.hold(reason: reason), at: minutes(1)))
        }
        for milestone in [Milestone.arriving, .atDoor] {
            #expect(try !delivery.apply(.milestone(milestone, assignmentEpoch: epoch), at: minutes(2)))
        }
        #expect(try delivery.apply(.milestone(.late, assignmentEpoch: epoch), at: minutes(2)))
        #expect(delivery.status == .handedOver(tail) && delivery.flags.contains(.delayed))
        #expect(try delivery.apply(.release, at: minutes(3)))
        #expect(delivery.status == .handedOver(.enRoute) && delivery.reason == nil)
        #expect(delivery.formerApproaches == (tail == .enRoute ? nil : 1))
        #expect(try delivery.apply(.milestone(.atDoor, assignmentEpoch: epoch), at: minutes(4)))
        #expect(delivery.status == .handedOver(.atDoor))
    }

    @Test("A delivery that its courier left undone is a stop again with another courier, and with a further status")
    func leftUndone() throws {
        let changes: [DeliveryChange] = [
            .courier(ben), .status(.atDoor, reason: "the courier is back"), .status(.arriving, reason: nil),
        ]
        for change in changes {
            var delivery = try delivery(in: .handedOver(.enRoute))
            #expect(try delivery.apply(.hold(reason: CourierProblem.noAccess.reason), at: minutes(1)))
            #expect(delivery.isLeftUndone && !delivery.isDoorAhead)
            #expect(try delivery.apply(change, at: minutes(2)))
            #expect(delivery.flags.contains(.onHold) && !delivery.isLeftUndone && delivery.isDoorAhead)
        }
    }

    @Test("The original promise stays on record, and going back to it is not rescheduled")
    func promises() throws {
        var delivery = placedDelivery()
        _ = try delivery.apply(.milestone(.late, assignmentEpoch: 0), at: minutes(1))
        #expect(delivery.flags == [.delayed])
        #expect(try delivery.apply(.promise(promise(90, 120)), at: minutes(2)))
        #expect(delivery.flags == [.rescheduled] && delivery.originalPromise == promise(60, 90))
        #expect(try !delivery.apply(.promise(promise(90, 120)), at: minutes(3)))
        #expect(try delivery.apply(.promise(promise(60, 90)), at: minutes(4)))
        #expect(delivery.flags.isEmpty)
    }

    @Test("Leaving at the door is refused where something must be verified, and once the courier is at the door")
    func leaveAtDoor() throws {
        var delivery = try delivery(in: .handedOver(.arriving))
        #expect(try delivery.apply(.leaveAtDoor, at: minutes(1)))
        #expect(delivery.handoff.method == .leaveAtDoor)
        _ = try delivery.apply(.status(.atDoor, reason: nil), at: minutes(2))
        #expect(try !delivery.apply(.leaveAtDoor, at: minutes(3)), "a repeat is no error")
        var checked = placedDelivery(verification: .idAge)
        #expect(throws: ChangeRefusal.cannotLeaveAtDoor(.idAge)) { try checked.apply(.leaveAtDoor, at: start) }
        var late = try self.delivery(atDoor: ())
        #expect(throws: ChangeRefusal.self) { try late.apply(.leaveAtDoor, at: start) }
    }

    private func delivery(atDoor: Void) throws -> Delivery { try OrderDomainTests.delivery(in: .handedOver(.atDoor)) }
    private func delivery(in status: DeliveryStatus) throws -> Delivery { try OrderDomainTests.delivery(in: status) }
}
