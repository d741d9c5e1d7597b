import OrderDomain
import Testing

@Suite("Transitions")
struct TransitionMatrixTests {
    /// The codes that may follow each status, by its code and its courier's; written by hand, not computed.
    static let matrix: [String: String] = [
        "placed unassigned": "accepted assigned to_store at_store cancelled",
        "placed assigned": "accepted unassigned to_store at_store cancelled",
        "placed to_store": "accepted unassigned at_store cancelled",
        "placed at_store": "accepted unassigned cancelled",
        "accepted unassigned": "picking assigned to_store at_store cancelled",
        "accepted assigned": "picking unassigned to_store at_store cancelled",
        "accepted to_store": "picking unassigned at_store cancelled",
        "accepted at_store": "picking unassigned cancelled",
        "picking unassigned": "staged assigned to_store at_store cancelled",
        "picking assigned": "staged unassigned to_store at_store picked_up cancelled",
        "picking to_store": "staged unassigned at_store picked_up cancelled",
        "picking at_store": "staged unassigned picked_up cancelled",
        "staged unassigned": "picking assigned to_store at_store cancelled",
        "staged assigned": "picking unassigned to_store at_store picked_up cancelled",
        "staged to_store": "picking unassigned at_store picked_up cancelled",
        "staged at_store": "picking unassigned picked_up cancelled",
        "picked_up": "en_route arriving at_door returning delivered failed",
        "en_route": "arriving at_door returning delivered failed",
        "arriving": "at_door returning delivered failed",
        "at_door": "attempted returning delivered failed",
        "attempted": "en_route at_door returning failed",
        "returning": "returned failed",
        "delivered": "",
        "returned": "",
        "cancelled": "",
        "failed": "",
    ]

    static func name(_ status: DeliveryStatus) -> String {
        [status.code.rawValue, status.courierStatus?.rawValue].compactMap(\.self).joined(separator: " ")
    }

    @Test("The table has every status, and only those")
    func tableIsWhole() {
        #expect(Set(Self.matrix.keys) == Set(DeliveryStatus.all.map(Self.name)))
        #expect(DeliveryStatus.all.count == 26)
    }

    @Test("From each status exactly the codes of the table may follow", arguments: DeliveryStatus.all)
    func matrix(from status: DeliveryStatus) throws {
        let allowed = Set(try #require(Self.matrix[Self.name(status)]).split(separator: " ").map(String.init))
        for code in StatusCode.allCases {
            let isCancelAfterPickup =
                code == .cancelled
                && ["picked_up", "en_route", "arriving", "at_door", "attempted"].contains(Self.name(status))
            if isCancelAfterPickup {
                #expect(try status.moved(to: code) == .handedOver(.returning))
            } else if allowed.contains(code.rawValue) {
                let next = try status.moved(to: code)
                #expect(next.code == code || next.courierStatus?.code == code)
            } else {
                let refusal = #expect(throws: InvalidTransition.self) { try status.moved(to: code) }
                #expect(refusal?.from == status)
                #expect(refusal?.to == code)
                #expect(Set(refusal?.allowed.map(\.rawValue) ?? []) == allowed)
            }
        }
        #expect(Set(status.allowed.map(\.rawValue)) == allowed)
        #expect(status.allowed.map(\.rank) == status.allowed.map(\.rank).sorted())
    }

    @Test("Before pickup one region moves and the other stays")
    func regionsAreIndependent() throws {
        let status = DeliveryStatus.preparing(.accepted, .toStore)
        #expect(try status.moved(to: .picking) == .preparing(.picking, .toStore))
        #expect(try status.moved(to: .atStore) == .preparing(.accepted, .atStore))
        #expect(try status.moved(to: .cancelled) == .handedOver(.cancelled))
        #expect(try DeliveryStatus.preparing(.staged, .atStore).moved(to: .pickedUp) == .handedOver(.pickedUp))
    }

    @Test("A refusal names the present code in the region that was asked, and what may follow")
    func refusalReads() throws {
        let courier = #expect(throws: InvalidTransition.self) {
            try DeliveryStatus.preparing(.placed, .atStore).moved(to: .toStore)
        }
        #expect(courier?.description == "at_store cannot become to_store; allowed: unassigned, accepted, cancelled")
        let ended = #expect(throws: InvalidTransition.self) {
            try DeliveryStatus.handedOver(.delivered).moved(to: .failed)
        }
        #expect(ended?.description == "delivered cannot become failed; allowed: nothing")
    }

    @Test("Ranks are those of the table, and rise along each region")
    func ranks() {
        let ranks: [StatusCode: Int] = [
            .placed: 10, .accepted: 20, .picking: 30, .staged: 40, .unassigned: 10, .assigned: 20, .toStore: 25,
            .atStore: 35, .pickedUp: 50, .enRoute: 60, .arriving: 65, .atDoor: 70, .attempted: 75, .returning: 80,
            .delivered: 100, .returned: 100, .cancelled: 100, .failed: 100,
        ]
        for code in StatusCode.allCases { #expect(code.rank == ranks[code]) }
    }

    @Test("A code's region leads back to the code", arguments: StatusCode.allCases)
    func regions(code: StatusCode) {
        switch code.region {
        case .store(let store): #expect(store.code == code)
        case .courier(let courier): #expect(courier.code == code)
        case .tail(let tail): #expect(tail.code == code)
        }
    }

    @Test("Only an ended delivery is reopened, never as what it is and never as a courier's code alone")
    func reopening() {
        for status in DeliveryStatus.all {
            for code in StatusCode.allCases {
                let reopened = status.reopened(as: code)
                if case .courier = code.region {
                    #expect(reopened == nil)
                } else if !status.isEnded || status.code == code {
                    #expect(reopened == nil)
                } else {
                    #expect(reopened?.code == code)
                    #expect(reopened?.courierStatus == (code.rank <= 40 ? .unassigned : nil))
                }
            }
        }
    }
}
