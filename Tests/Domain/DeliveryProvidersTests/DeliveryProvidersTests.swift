import DeliveryProviders
import Foundation
import OrderDomain
import ProviderSamples
import SeededRandom
import Testing

/// When the first thing of every life happens.
let start = Date(timeIntervalSince1970: 1_795_284_000)

@Suite("What providers send")
struct DeliveryProvidersTests {
    private let received = start.addingTimeInterval(7_200)

    private func event(_ provider: DeliveryProvider, _ body: String) throws -> ProviderEvent {
        try #require(try provider.events(in: Data(body.utf8), receivedAt: received, from: "velo").first).get()
    }

    private func placed() throws -> Delivery {
        let store = Store(
            id: try #require(StoreID(rawValue: "mitte")), name: "Mitte",
            location: try #require(Coordinate(latitude: 37.77, longitude: -122.4)), timeZone: "UTC")
        let promise = try #require(
            Promise(start: start.addingTimeInterval(3_600), end: start.addingTimeInterval(7_200)))
        return Delivery(
            id: DeliveryID(UUID()), order: OrderID(UUID()), reference: "1001",
            customer: try #require(CustomerID(rawValue: "c")), store: store, bag: Bag(number: 1, count: 1),
            door: store.location, promise: promise,
            handoff: try #require(Handoff(method: .handToCustomer, verification: .none)), items: [],
            placedAt: start.addingTimeInterval(-60))
    }

    @Test(
        "A whole life, shuffled and doubled, ends delivered at its own times", arguments: DeliveryProvider.allCases)
    func lives(provider: DeliveryProvider) throws {
        let events = try ProviderLife(of: provider, from: start).bodies.map { try event(provider, $0) }
        #expect(Set(events.map(\.key)).count == events.count && events.allSatisfy { $0.isKnown && !$0.isTest })
        #expect(Set(events.map(\.references)).count == 1)
        let reports = events.compactMap(\.report)
        let last = try #require(reports.last?.occurredAt)
        var random = SeededGenerator(seed: 3)
        var first: Delivery?
        for _ in 0..<300 {
            var delivery = try placed()
            for (index, report) in (reports + reports).shuffled(using: &random).enumerated() {
                _ = try delivery.apply(.report(report), at: received.addingTimeInterval(Double(index)))
            }
            #expect(delivery.status == .handedOver(.delivered) && delivery.endedAt == last)
            #expect(delivery.courier?.name == (provider == .instacart ? "Instacart" : "Sam"))
            #expect(delivery.flags.isEmpty && delivery.episode == 1)
            if let first {
                #expect(delivery.pickedUpAt == first.pickedUpAt && delivery.pickingSince == first.pickingSince)
            }
            first = first ?? delivery
        }
    }

    @Test("A courier's position is read where one is named", arguments: DeliveryProvider.allCases)
    func positions(provider: DeliveryProvider) throws {
        guard provider != .instacart else { return }
        let position = try #require(try event(provider, ProviderLife(of: provider, from: start).bodies[1]).position)
        #expect(position.coordinate == Coordinate(latitude: 37.77, longitude: -122.41))
        #expect(position.source == provider.id && position.courier?.isOf(provider.id) == true)
        #expect((provider == .cloudEvents) == (provider.id == .cloudEvents))
    }

    @Test("A retry that is written anew is the same event, and a later one of its kind is another")
    func doorDashKeys() throws {
        let first = #"{"event_name":"DASHER_CONFIRMED","external_delivery_id":"D","created_at":"2026-11-21T10:00:03Z"}"#
        let again =
            #"{"created_at":"2026-11-21T10:00:03Z","event_type":"dasher_confirmed","x":1,"external_delivery_id":"D"}"#
        let later = #"{"event_name":"DASHER_CONFIRMED","external_delivery_id":"D","created_at":"2026-11-21T10:09:00Z"}"#
        #expect(try event(.doorDash, first).key == event(.doorDash, again).key)
        #expect(try event(.doorDash, first).key != event(.doorDash, later).key)
        let long = String(repeating: "d", count: 400)
        #expect(try event(.doorDash, first.replacing(#""D""#, with: "\"\(long)\"")).key.count == 64)
    }

    @Test("A cancel that says the goods have left is a return, and one that failed to return is lost")
    func doorDashCancels() throws {
        func status(_ rest: String) throws -> StatusCode? {
            try event(.doorDash, #"{"event_name":"DELIVERY_CANCELLED","external_delivery_id":"D"\#(rest)}"#)
                .report?.status
        }
        #expect(try status("") == .cancelled)
        #expect(try status(#","pickup_time_actual":"2026-11-21T10:00:00Z""#) == .returning)
        #expect(try status(#","cancellation_reason":"failed_to_return""#) == .failed)
        #expect(try status(#","reason":"failed_to_return","pickup_time_actual":"2026-11-21T10:00:00Z""#) == .failed)
        #expect(try status(#","cancellation_reason":"other","reason":"failed_to_return""#) == .cancelled)
    }

    @Test("A Dasher's number is the one for both ends, else the one for the drop-off, else the one for the pickup")
    func doorDashNumbers() throws {
        var numbers = [
            #""dasher_phone_number":"+14155550101""#, #""dasher_dropoff_phone_number":"+14155550102""#,
            #""dasher_pickup_phone_number":"+14155550103""#,
        ]
        for expected in ["+14155550101", "+14155550102", "+14155550103", nil] {
            let rest = numbers.reversed().map { "," + $0 }.joined()
            let body =
                #"{"event_name":"DASHER_CONFIRMED","external_delivery_id":"D","dasher_id":7\#(rest)}"#
            #expect(try event(.doorDash, body).report?.courier?.phone == expected)
            numbers = Array(numbers.dropFirst())
        }
    }

    @Test("Uber: a return is another delivery, test mode is marked, and a position stands at the top or at the courier")
    func uber() throws {
        let back = try event(
            .uber,
            """
            {"kind":"event.delivery_return","id":"evt_9","delivery_id":"ret_1","status":"delivered","live_mode":false,
            "created":"2026-11-21T10:05:00.287Z","data":{"related_deliveries":[{"id":"del_1"}]}}
            """)
        #expect(back.report?.status == .returned && back.isTest && back.references == ["ret_1", "del_1"])
        #expect(back.shopReference == nil)
        let moved = try event(
            .uber,
            """
            {"kind":"event.courier_update","delivery_id":"del_1","location":{"lat":37.7974109,"lng":-122.424145}}
            """)
        #expect(moved.report == nil && moved.isKnown)
        #expect(moved.position?.coordinate == Coordinate(latitude: 37.7974109, longitude: -122.424145))
        #expect(moved.position != nil && moved.position?.courier == nil)
        let attempted = try event(
            .uber,
            """
            {"kind":"event.delivery_status","id":"e","delivery_id":"d","status":"dropoff",
            "data":{"undeliverable_reason":"customer_unavailable"}}
            """)
        #expect(attempted.report?.status == .attempted && attempted.report?.reason == "customer_unavailable")
    }

    private static let proven: [(DeliveryProvider, String, Set<ProofKind>)] = [
        (
            .uber,
            #"""
            {"kind":"event.delivery_status","id":"e","delivery_id":"del_1","status":"delivered","data":{"dropoff":
            {"verification":{"picture":{"image_url":"https://u/p"},"signature":{"image_url":"https://u/s"},
            "identification":{"min_age_verified":true},"pin_code":{"entered":"2345"},
            "barcodes":[{"value":"W1","scan_result":{"outcome":"SUCCESS"}}]}}}}
            """#, Set(ProofKind.allCases)
        ),
        (
            .uber,
            #"""
            {"kind":"event.delivery_status","id":"e","delivery_id":"del_1","status":"delivered","data":{"dropoff":
            {"verification":{"identification":{"min_age_verified":false},
            "barcodes":[{"value":"W1","scan_result":{"outcome":"FAILURE"}}]}}}}
            """#, []
        ),
        (
            .uber,
            #"""
            {"kind":"event.delivery_return","id":"e","delivery_id":"ret_1","status":"delivered","data":{"dropoff":
            {"verification":{"picture":{"image_url":"https://u/p"}}},"related_deliveries":[{"id":"del_1"}]}}
            """#, []
        ),
        (
            .uber,
            #"""
            {"kind":"event.delivery_status","id":"e","delivery_id":"del_1","status":"dropoff","data":{"dropoff":
            {"verification":{"picture":{"image_url":"https://u/p"}}},"undeliverable_reason":"customer_unavailable"}}
            """#, []
        ),
        (
            .doorDash,
            #"""
            {"event_name":"DASHER_DROPPED_OFF","external_delivery_id":"D",
            "dropoff_verification_image_url":"https://d/p","dropoff_signature_image_url":"https://d/s",
            "dropoff_options":{"proof_of_delivery":"pin_code"}}
            """#, [.photo, .signature, .pin]
        ),
        (
            .doorDash,
            #"""
            {"event_name":"DASHER_ENROUTE_TO_DROPOFF","external_delivery_id":"D",
            "dropoff_verification_image_url":"https://d/p","dropoff_options":{"proof_of_delivery":"pin_code"}}
            """#, []
        ),
        (
            .onfleet,
            #"""
            {"triggerId":3,"triggerName":"taskCompleted","taskId":"t","data":{"task":{"id":"t","completionDetails":
            {"signatureUploadId":"sig","photoUploadIds":["one"]}}}}
            """#, [.signature, .photo]
        ),
        (
            .onfleet,
            #"""
            {"triggerId":4,"triggerName":"taskFailed","taskId":"t","data":{"task":{"id":"t","completionDetails":
            {"signatureUploadId":"sig","photoUploadId":"one"}}}}
            """#, []
        ),
        (
            .onfleet,
            #"""
            {"triggerId":3,"triggerName":"taskCompleted","taskId":"t","data":{"task":{"id":"t","completionDetails":
            {"success":false,"photoUploadIds":["one"]}}}}
            """#, []
        ),
        (
            .cloudEvents,
            #"""
            {"specversion":"1.0","id":"1","source":"s","type":"doorstep.delivery.status","subject":"d",
            "data":{"status":"delivered","proofs":["photo","age","horoscope"]}}
            """#, [.photo, .age]
        ),
    ]

    @Test("A provider's own proof is read where its report has it, and nowhere else")
    func proofs() throws {
        for (provider, body, expected) in Self.proven {
            let report = try #require(try event(provider, body).report)
            #expect(Set(report.proofs ?? []) == expected, "\(body)")
        }
        let life = try ProviderLife(of: .uber, from: start).bodies.map { try event(.uber, $0) }
        #expect(life.compactMap(\.report).allSatisfy { $0.proofs == nil })
        // The picture of a closed door comes again with the courier's position.
        let door = #"""
            {"kind":"event.courier_update","id":"e","delivery_id":"del_1","location":{"lat":1,"lng":2},"data":{
            "undeliverable_reason":"customer_unavailable",
            "dropoff":{"verification":{"picture":{"image_url":"https://u/p"}}}}}
            """#
        #expect(try event(.uber, door).report == nil)
    }

    @Test("An id beyond what a floating-point number tells apart is read whole")
    func instacartIDs() throws {
        let body = """
            {"event_id":1201895966044343904,"event_name":"fulfillment.brand_new",
            "event_timestamp":"2020-07-07T16:35:22Z","event_metadata":{"order_id":"b7fab7ae"}}
            """
        let event = try event(.instacart, body)
        #expect(event.key == "1201895966044343904" && event.report?.status == .placed)
    }

    @Test("Instacart's flat form is read, and a callback that comes again later is another event")
    func instacartFlatForm() throws {
        func picking(_ time: String) throws -> ProviderEvent {
            try event(.instacart, #"{"event":"picking","order_id":"b7fab7ae","timestamp":"\#(time)"}"#)
        }
        let (first, repeated) = try (picking("2026-11-21T09:35:22Z"), picking("2026-11-21T09:35:22Z"))
        let again = try picking("2026-11-21T09:50:00Z")
        #expect(first.key == repeated.key && first.key != again.key)
        #expect(again.report?.occurredAt == first.report?.occurredAt?.addingTimeInterval(878))
        #expect(again.report?.occurredAt != nil)
    }

    @Test(
        "A time that cannot be is no reason to refuse",
        arguments: [
            #""53927476-01-01T00:00:00Z""#, #""yesterday""#, "null", "-1", "1e400", "99999999999999999", "[]", "true",
            #""2099-01-01T00:00:00Z""#, #""1970-01-01T00:00:00Z""#,
        ])
    func times(time: String) throws {
        let body =
            #"{"kind":"event.delivery_status","id":"e","delivery_id":"d","status":"delivered","created":\#(time)}"#
        guard let event = try? event(.uber, body) else {
            #expect(time == "1e400", "only what is no number of JSON's readers is refused")
            return
        }
        #expect(event.report?.status == .delivered && event.report?.occurredAt == nil)
        #expect(event.report?.effectiveAt == received)
    }

    @Test("Control characters are left out of every name, which no database keeps")
    func controlCharacters() throws {
        let event = try event(
            .doorDash,
            #"{"event_name":"DASHER_\u0000CONFIRMED","external_delivery_id":"D\u0000\u001F1","dasher_name":"S\u0007am"}"#
        )
        #expect(event.kind == "DASHER_CONFIRMED" && event.references == ["D1"])
        #expect(event.report?.courier?.name == "Sam")
    }

    @Test("What no adapter knows is reported by its name, and changes nothing")
    func unknown() throws {
        for (provider, body) in [
            (DeliveryProvider.doorDash, #"{"event_name":"DASHER_SANG","external_delivery_id":"D"}"#),
            (.uber, #"{"kind":"event.delivery_status","delivery_id":"d","status":"hovering"}"#),
            (.uber, #"{"kind":"event.weather","delivery_id":"d"}"#),
            (.instacart, #"{"event_name":"fulfillment.sang","event_metadata":{"order_id":"o"}}"#),
            (.onfleet, #"{"triggerId":99,"taskId":"t","time":1732000000000}"#),
            (.cloudEvents, #"{"specversion":"1.0","id":"1","source":"s","type":"x","subject":"d"}"#),
            (.cloudEvents, #"{"specversion":"1.0","id":"1","source":"s","type":"x"}"#),
        ] {
            let event = try event(provider, body)
            #expect(!event.isKnown && !event.kind.isEmpty, "\(body)")
            let report = try #require(event.report)
            #expect(report.kind == event.kind && report.status == nil && report.courier == nil, "\(body)")
            var delivery = try placed()
            #expect(try delivery.apply(.report(report), at: received) == false)
        }
    }

    @Test(
        "What is no envelope of its provider is refused, and nothing crashes",
        arguments: DeliveryProvider.allCases,
        ["", "{}", "[]", "null", "17", "{", "\u{FEFF}{}", #"{"a":"#, String(repeating: "[", count: 100_000)])
    func unreadable(provider: DeliveryProvider, body: String) {
        if provider == .cloudEvents, body == "[]" { return }
        #expect(throws: UnreadableBody.self) {
            try provider.events(in: Data(body.utf8), receivedAt: received, from: "velo")
        }
    }

    @Test("Every body that is cut off, or has a byte changed, is read or refused", arguments: DeliveryProvider.allCases)
    func damaged(provider: DeliveryProvider) {
        var random = SeededGenerator(seed: 11)
        for body in ProviderLife(of: provider, from: start).bodies {
            let bytes = Data(body.utf8)
            for _ in 0..<60 {
                let cut = bytes.prefix(Int.random(in: 0..<bytes.count, using: &random))
                #expect(throws: UnreadableBody.self) {
                    try provider.events(in: cut, receivedAt: received, from: "velo")
                }
                var changed = bytes
                changed[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
                let read = (try? provider.events(in: changed, receivedAt: received, from: "velo")) ?? []
                for case .success(let event) in read { #expect((1...128).contains(event.key.utf8.count)) }
            }
        }
    }

    @Test("Names that are no identifiers, and numbers that cannot be dialled, harm nothing")
    func couriers() throws {
        let event = try event(
            .doorDash,
            """
            {"event_name":"DASHER_CONFIRMED","external_delivery_id":"D","dasher_id":"../ü","dasher_name":"\\nSam  ",
            "dasher_phone_number":"call me"}
            """)
        let courier = try #require(event.report?.courier)
        #expect(courier.name == "Sam" && courier.phone == nil && courier.id.rawValue.hasPrefix("doordash-"))
    }
}
