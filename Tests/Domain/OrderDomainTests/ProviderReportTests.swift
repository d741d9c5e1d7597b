import Foundation
import OrderDomain
import SeededRandom
import Testing
import WireCoding

@Suite("What a provider reports")
struct ProviderReportTests {
    private func delivery(after reports: [ProviderReport]) throws -> Delivery {
        var delivery = placedDelivery()
        for (index, report) in reports.enumerated() {
            _ = try delivery.apply(.report(report), at: minutes(200 + Double(index)))
        }
        return delivery
    }

    @Test("Any order of any reports, with repeats, leads to the same delivery", arguments: 0..<16)
    func anyOrder(block: Int) throws {
        for seed in block * 250..<(block + 1) * 250 {
            var random = SeededGenerator(seed: UInt64(seed))
            let reports = (0..<Int.random(in: 1...8, using: &random)).map { randomReport($0, using: &random) }
            let wanted = Outcome(try delivery(after: reports))
            for _ in 0..<4 {
                let shuffled = (reports + reports.filter { _ in Bool.random(using: &random) }).shuffled(using: &random)
                let found = Outcome(try delivery(after: shuffled))
                #expect(found == wanted, "seed \(seed): \(shuffled.map(\.kind)) of \(reports.map(\.kind))")
                if found != wanted { return }
            }
        }
    }

    @Test(
        "Any order of two providers' reports, of which the former one's part ends, leads to the same delivery",
        arguments: 0..<16)
    func anyOrderOfTwo(block: Int) throws {
        for seed in block * 250..<(block + 1) * 250 {
            var random = SeededGenerator(seed: UInt64(seed))
            let reports = randomReportsOfTwo(using: &random)
            let wanted = Outcome(try delivery(after: reports))
            for _ in 0..<4 {
                let shuffled = (reports + reports.filter { _ in Bool.random(using: &random) }).shuffled(using: &random)
                let found = Outcome(try delivery(after: shuffled))
                #expect(found == wanted, "seed \(seed): \(shuffled.map(\.kind)) of \(reports.map(\.kind))")
                if found != wanted { return }
            }
        }
    }

    @Test("A whole life in any order ends delivered, with its times and nobody silent or reassigned")
    func life() throws {
        let codes: [StatusCode] = [
            .accepted, .picking, .assigned, .toStore, .staged, .atStore, .pickedUp, .enRoute, .arriving, .atDoor,
            .delivered,
        ]
        let reports = codes.enumerated().map { report($0.element, at: Double($0.offset * 5), by: anna) }
        var random = SeededGenerator(seed: 7)
        for _ in 0..<200 {
            let found = try delivery(after: (reports + reports).shuffled(using: &random))
            #expect(found.status == .handedOver(.delivered) && found.endedAt == minutes(50))
            #expect(found.pickedUpAt == minutes(30) && found.pickingSince == minutes(5))
            #expect(found.courier == anna && found.flags.isEmpty && found.episode == 1)
        }
    }

    @Test("A late one moves nothing back, and gives its time")
    func late() throws {
        var delivery = try delivery(after: [report(.delivered, at: 40, by: anna)])
        #expect(delivery.status == .handedOver(.delivered) && delivery.pickedUpAt == minutes(40))
        #expect(try delivery.apply(.report(report(.pickedUp, at: 20)), at: minutes(60)))
        #expect(delivery.status == .handedOver(.delivered) && delivery.pickedUpAt == minutes(20))
        #expect(try !delivery.apply(.report(report(.pickedUp, at: 20)), at: minutes(61)), "a repeat changes nothing")
    }

    @Test("A cancel after pickup asks for the goods, in whichever order the two arrive")
    func cancelled() throws {
        let (pickup, cancel) = (report(.pickedUp, at: 20), report(.cancelled, at: 25))
        for reports in [[pickup, cancel], [cancel, pickup]] {
            let found = try delivery(after: reports)
            #expect(found.status == .handedOver(.returning) && found.endedAt == nil)
            #expect(try delivery(after: reports + [report(.returned, at: 60)]).status == .handedOver(.returned))
        }
        let ended = try delivery(after: [cancel])
        #expect(ended.status == .handedOver(.cancelled) && ended.episode == 1)
        #expect(try delivery(after: [cancel, pickup]).episode == 2, "the card of the cancel has ended")
    }

    @Test(
        "The end of a former provider's part ends neither the delivery nor the part of who brings it since",
        arguments: [StatusCode.cancelled, .failed, .unassigned])
    func formerProvider(code: StatusCode) throws {
        let began = [report(.staged, at: 1), report(.atStore, at: 2, by: sam)]
        let end = report(code, at: 5, successor: "uber")
        let waiting = try delivery(after: began + [end])
        #expect(waiting.courier == nil && waiting.status == .preparing(.staged, .unassigned))
        #expect(waiting.flags == [.reassigning] && waiting.episode == 1)

        let next = report(.toStore, at: 4, by: kim, from: "uber")
        for reports in [began + [end, next], began + [next, end]] {
            let found = try delivery(after: reports)
            #expect(found.courier == kim && found.status == .preparing(.staged, .toStore) && found.flags.isEmpty)
        }
        let picked = try delivery(after: began + [end, next, report(.pickedUp, at: 6, by: kim, from: "uber"), end])
        #expect(picked.courier == kim && picked.status == .handedOver(.pickedUp) && picked.episode == 1)

        // Of two deliveries at one provider the former one's end is of its own courier.
        let other = report(code, at: 8, from: "uber", successor: "uber")
        #expect(try delivery(after: began + [end, next, other]).courier == kim)
        let returned = report(.pickedUp, at: 6, by: sam)
        let isBack = try delivery(after: began + [returned, report(.cancelled, at: 7, successor: "uber")])
        #expect(isBack.status == .handedOver(.returning), "the former provider has the goods")
    }

    @Test("What a former provider reports late of its part brings no courier back, and its successor needs no times")
    func lateFormerProvider() throws {
        let parts = [
            report(.assigned, at: 1, by: sam), report(.atStore, at: 3), report(.cancelled, at: 5, successor: "uber"),
        ]
        for order in [[0, 1, 2], [2, 0, 1], [0, 2, 1], [2, 1, 0]] {
            var found = try delivery(after: order.map { parts[$0] })
            #expect(found.courier == nil && found.status == .preparing(.placed, .unassigned), "\(order)")
            #expect(found.flags == [.reassigning], "\(order)")
            _ = try found.apply(.report(report(.toStore, at: nil, by: kim, from: "uber")), at: minutes(220))
            #expect(found.courier == kim && found.status == .preparing(.placed, .toStore), "\(order)")
        }
        // One that was given the delivery back is a provider like any other.
        let isBack = try delivery(after: [parts[0], parts[2], report(.assigned, at: 6, by: sam)])
        #expect(isBack.courier == sam && isBack.status.courierStatus == .assigned)
    }

    @Test("After the pickup the end of a former job at the same provider is of the courier alone whom it names")
    func formerJob() throws {
        let tim = Courier(id: courierID("uber-8"), name: "Tim", vehicle: .car, phone: nil)
        let picked = report(.pickedUp, at: 6, by: kim, from: "uber")
        for courier in [nil, tim] {
            let end = report(.cancelled, at: 8, by: courier, from: "uber", successor: "uber")
            let found = try delivery(after: [picked, end])
            #expect(found.courier == kim && found.status == .handedOver(.pickedUp))
        }
        let own = report(.cancelled, at: 8, by: kim, from: "uber", successor: "uber")
        #expect(try delivery(after: [picked, own]).status == .handedOver(.returning))
    }

    @Test("A cancel of the shop's own system ends a delivery that a provider brings, and one taken over from it")
    func shopCancel() throws {
        let cancel = report(.cancelled, at: 9, from: "cloudevents")
        for reported in [[], [report(.toStore, at: 2)], [report(.assigned, at: 2, by: sam)]] {
            var found = try delivery(after: reported)
            if reported.last?.courier != nil { _ = try found.apply(.courier(anna), at: minutes(210)) }
            _ = try found.apply(.report(cancel), at: minutes(211))
            #expect(found.status == .handedOver(.cancelled), "\(reported.map(\.kind))")
        }
        // A provider of which another's id begins with the same word has no part in it.
        var other = try delivery(after: [report(.assigned, at: 2, by: nil, from: "cloudevents-2")])
        _ = try other.apply(.courier(anna), at: minutes(210))
        _ = try other.apply(.report(cancel), at: minutes(211))
        #expect(other.status == .handedOver(.cancelled))
    }

    @Test(
        "The end of a provider's part beside the shop's own courier ends neither the delivery nor their assignment",
        arguments: [StatusCode.cancelled, .failed, .unassigned])
    func ownCourier(code: StatusCode) throws {
        let end = report(code, at: 9, by: code == .unassigned ? nil : ben)
        var found = try delivery(after: [report(.staged, at: 1), report(.atStore, at: 2, by: ben)])
        _ = try found.apply(.courier(anna), at: minutes(210))
        #expect(try !found.apply(.report(end), at: minutes(211)))
        #expect(found.courier == anna && found.status == .preparing(.staged, .assigned) && found.episode == 1)
        // A system of the shop that states nothing of couriers ends the delivery.
        var own = placedDelivery()
        _ = try own.apply(.courier(anna), at: minutes(1))
        _ = try own.apply(.report(report(code, at: 9, from: "cloudevents")), at: minutes(10))
        #expect(own.status.isEnded == (code != .unassigned) && own.courier == anna)
    }

    @Test(
        "A provider that the shop's own courier replaced before it had one does not end the delivery; the shop does",
        arguments: [StatusCode.cancelled, .failed], ["doordash", "cloudevents"])
    func replacedProvider(code: StatusCode, source: String) throws {
        let reports = [report(.unassigned, at: 2, from: source), report(code, at: 9, from: source)]
        for count in 0...1 {
            var found = try delivery(after: Array(reports.prefix(count)))
            _ = try found.apply(.courier(anna), at: minutes(210))
            for report in reports.dropFirst(count) { _ = try found.apply(.report(report), at: minutes(211)) }
            // The shop's own system may report by CloudEvents that no courier is assigned, and ends the delivery.
            #expect(found.courier == anna && found.status.isEnded == (source == "cloudevents"), "\(count)")
        }
        // Instacart and Onfleet report no courier at the creation.
        var silent = placedDelivery()
        _ = try silent.apply(.courier(anna), at: minutes(1))
        _ = try silent.apply(.report(report(code, at: 9, from: "onfleet")), at: minutes(10))
        #expect(silent.courier == anna && silent.status == .preparing(.placed, .assigned))
        #expect(try delivery(after: reports).status.isEnded, "no other courier has the delivery")
        #expect(try delivery(after: [report(code, at: 9, from: "onfleet")]).status.isEnded)
    }

    @Test("An older report of a former courier changes nothing, and who is not named has the provider's name")
    func couriers() throws {
        let reports = [
            report(.assigned, at: 1, by: anna), report(.atStore, at: 6, by: anna), report(.unassigned, at: 7),
            report(.assigned, at: 8, by: ben),
        ]
        for order in [[0, 1, 2, 3], [3, 2, 1, 0], [1, 3, 0, 2]] {
            let found = try delivery(after: order.map { reports[$0] })
            #expect(found.courier == ben && found.status == .preparing(.placed, .assigned))
        }
        let waiting = try delivery(after: [reports[2], reports[1]])
        #expect(waiting.courier == nil && waiting.flags == [.reassigning])
        let unnamed = try delivery(after: [report(.toStore, at: 3)])
        #expect(unnamed.courier?.name == "DoorDash" && unnamed.status == .preparing(.placed, .toStore))
        #expect(try delivery(after: [report(.toStore, at: 3), report(nil, at: 1, by: anna)]).courier == anna)
    }

    @Test("A report that only names the courier keeps their stated progress, and assigns another courier or the first")
    func inferred() throws {
        func outcomes(_ one: ProviderReport, _ other: ProviderReport) throws -> [Delivery] {
            [try delivery(after: [one, other]), try delivery(after: [other, one])]
        }
        for stated in [report(.atStore, at: 6, by: anna), report(.atStore, at: 6)] {
            for later in [report(.staged, at: 7, by: anna), report(nil, at: 7, by: anna, isLate: true)] {
                for found in try outcomes(stated, later) {
                    #expect(found.courier == anna && found.status.courierStatus == .atStore, "\(later.kind)")
                }
            }
        }
        for found in try outcomes(report(.atStore, at: 6, by: anna), report(.staged, at: 7, by: ben)) {
            #expect(found.courier == ben && found.status == .preparing(.staged, .assigned))
        }
        for found in try outcomes(report(.unassigned, at: 6), report(.picking, at: 7, by: ben)) {
            #expect(found.courier == ben && found.status == .preparing(.picking, .assigned))
        }
    }

    @Test(
        "A report that only names the courier undoes neither a milestone nor a person's removal, and one that follows does"
    )
    func betweenReports() throws {
        var near = try delivery(after: [report(.picking, at: 5, by: anna)])
        _ = try near.apply(.milestone(.nearStore, assignmentEpoch: near.assignmentEpoch), at: minutes(6))
        #expect(near.status.courierStatus == .toStore)
        _ = try near.apply(.report(report(.staged, at: 7, by: anna)), at: minutes(7))
        #expect(near.status == .preparing(.staged, .toStore))

        var removed = try delivery(after: [report(.atStore, at: 5, by: anna)])
        _ = try removed.apply(.courier(nil), at: minutes(6))
        _ = try removed.apply(.report(report(.staged, at: 7)), at: minutes(7))
        #expect(removed.courier == nil && removed.status == .preparing(.staged, .unassigned))
        _ = try removed.apply(.report(report(nil, at: 8, by: anna, isLate: true)), at: minutes(8))
        #expect(removed.courier == anna && removed.status == .preparing(.staged, .assigned))
    }

    @Test("What an operator corrected is not undone by what happened before")
    func corrected() throws {
        var delivery = try delivery(after: [report(.delivered, at: 40, by: anna)])
        _ = try delivery.apply(.override(.atDoor, reason: "nobody got it"), at: minutes(60))
        #expect(try !delivery.apply(.report(report(.delivered, at: 41)), at: minutes(61)))
        #expect(delivery.status == .handedOver(.atDoor))
        let later = report(.delivered, at: 70, receivedAt: 71)
        #expect(try delivery.apply(.report(later), at: minutes(71)))
        #expect(delivery.status == .handedOver(.delivered))
    }

    @Test("An end that is reported half a day late counts as of now")
    func veryLate() throws {
        var delivery = placedDelivery()
        let end = report(.delivered, at: 40, receivedAt: 1_000)
        _ = try delivery.apply(.report(end), at: minutes(1_000))
        #expect(delivery.endedAt == minutes(1_000) && delivery.pickedUpAt == minutes(40))
    }

    @Test("JSON keeps it, and what is kept of it")
    func json() throws {
        let one = report(.toStore, at: 3, by: anna)
        #expect(try WireJSON.decode(ProviderReport.self, from: WireJSON.encode(one)) == one)
        let delivery = try delivery(after: [one, report(.unassigned, at: 4)])
        #expect(try WireJSON.decode(Delivery.self, from: WireJSON.encode(delivery)) == delivery)
        #expect(ProviderID(rawValue: String(repeating: "x", count: 25)) == nil)
    }
}

/// Of a delivery what does not count how it came to be.
private struct Outcome: Hashable {
    let status: DeliveryStatus
    let flags: Set<Flag>
    let courier: Courier?
    let items: [Item]
    let pickingSince: Date?
    let pickedUpAt: Date?
    let endedAt: Date?
    /// From pickup on: before it, two regions share one time.
    let statusSince: Date?

    init(_ delivery: Delivery) {
        status = delivery.status
        flags = delivery.flags
        courier = delivery.courier
        items = delivery.items
        pickingSince = delivery.pickingSince
        pickedUpAt = delivery.pickedUpAt
        endedAt = delivery.endedAt
        statusSince = delivery.status.courierStatus == nil ? delivery.statusSince : nil
    }
}

private let sam = Courier(id: courierID("doordash-7"), name: "Sam", vehicle: .car, phone: nil)
private let kim = Courier(id: courierID("uber-9"), name: "Kim", vehicle: .car, phone: nil)

private func report(
    _ status: StatusCode?, at: Double?, by courier: Courier? = nil, from source: String = "doordash",
    receivedAt: Double = 120, isLate: Bool = false, successor: String? = nil
) -> ProviderReport {
    ProviderReport(
        source: ProviderID(rawValue: source)!, sourceName: "DoorDash",
        id: "\(status?.rawValue ?? "-")-\(at ?? 0)-\(courier?.name ?? "-")",
        kind: "\(status?.rawValue ?? "-")@\(at ?? 0)\(courier.map { " \($0.name)" } ?? "")", status: status,
        courier: courier, occurredAt: at.map { minutes($0) }, receivedAt: minutes(receivedAt), isLate: isLate,
        successor: successor.flatMap(ProviderID.init(rawValue:)))
}

private func randomReport(_ index: Int, using random: inout SeededGenerator) -> ProviderReport {
    let status = ([nil] + StatusCode.allCases.map(Optional.some))
        .randomElement(using: &random)!
    let isNamed = status != .unassigned && Bool.random(using: &random)
    return report(
        status, at: Double(Int.random(in: 0..<20, using: &random)) + Double(index) / 100,
        by: isNamed ? (Bool.random(using: &random) ? anna : ben) : nil,
        isLate: Int.random(in: 0..<6, using: &random) == 0)
}

/// Reports of DoorDash from before the pickup, the end of its part, and reports of its successor Uber, which are later.
private func randomReportsOfTwo(using random: inout SeededGenerator) -> [ProviderReport] {
    let store: [StatusCode?] = [nil, .accepted, .picking, .staged]
    let courier: [StatusCode?] = [.assigned, .toStore, .atStore]
    let tail: [StatusCode?] = [.pickedUp, .enRoute, .arriving, .atDoor, .attempted, .returning, .returned, .delivered]
    var reports: [ProviderReport] = []
    for index in 0..<Int.random(in: 1...5, using: &random) {
        let status = (store + courier + [.unassigned]).randomElement(using: &random)!
        let isNamed = status != .unassigned && Bool.random(using: &random)
        let at = Double(Int.random(in: 0..<10, using: &random)) + Double(index) / 100
        reports.append(report(status, at: at, by: isNamed ? sam : nil))
    }
    for index in 0..<Int.random(in: 0...4, using: &random) {
        let at = Double(Int.random(in: 10..<20, using: &random)) + Double(index) / 100
        reports.append(report((store + courier + tail).randomElement(using: &random)!, at: at, by: kim, from: "uber"))
    }
    let end = [StatusCode.unassigned, .cancelled, .failed].randomElement(using: &random)!
    let at = Double(Int.random(in: 10..<20, using: &random)) + 0.5
    reports.append(report(end, at: at, successor: "uber"))
    return reports
}
