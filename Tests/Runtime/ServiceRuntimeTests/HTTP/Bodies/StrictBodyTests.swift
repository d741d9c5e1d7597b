import DoorstepAPI
import Foundation
import Hummingbird
import Testing
import WireCoding

@testable import ServiceRuntime

@Suite("All that is wrong with a body")
struct StrictBodyTests {
    private struct Parcel: StrictBody, Equatable {
        enum Size: String, CaseIterable, Codable { case small, large }

        struct Line: Codable, Equatable {
            let name: String
            let count: Int?
        }

        let name: String
        let size: Size
        let from: Date?
        let isFragile: Bool
        let lines: [Line]
        let lid: Line?

        static let example = Parcel(
            name: "Books", size: .small, from: Date(timeIntervalSince1970: 0), isFragile: true,
            lines: [Line(name: "Atlas", count: 1)], lid: Line(name: "Wood", count: 1))
    }

    private func faults(
        _ json: String, check: @escaping @Sendable (Parcel, inout BodyCheck) -> Void = { _, _ in }
    ) async -> [Problem.FieldError] {
        do {
            _ = try await Request.decode(Parcel.self, from: Data(json.utf8), check: check)
            return []
        } catch {
            return (error as? Problem)?.errors ?? []
        }
    }

    @Test("Every fault is named with its place, whatever came before it")
    func all() async {
        let faults = await faults(
            """
            {"name": 7, "size": "huge", "from": "soon", "isFragile": "no",
             "lines": [{"name": "a"}, {"count": 1.5}, 3, {"name": null}], "lid": {"count": true}}
            """)
        #expect(
            faults.map(\.path) == [
                "name", "size", "from", "isFragile", "lines[1].name", "lines[1].count", "lines[2]", "lines[3].name",
                "lid.name", "lid.count",
            ])
        #expect(faults[1].allowed == ["small", "large"])
        #expect(faults[5].message == "is not a whole number in range")
    }

    @Test("A property that is not known is refused, with those that are")
    func unknown() async {
        let faults = await faults(
            """
            {"name": "a", "size": "small", "isFragile": true, "note": "x",
             "lines": [{"name": "a", "weight": 1}], "lid": {"name": 1, "colour": "red"}}
            """)
        #expect(faults.map(\.path) == ["lid.name", "note", "lines[0].weight", "lid.colour"])
        #expect(faults[1].allowed == ["from", "isFragile", "lid", "lines", "name", "size"])
        #expect(faults[2].allowed == ["count", "name"])
    }

    @Test("What must hold beside is checked together with the form, unless it depends on a faulty part")
    func checked() async {
        let faults = await faults(
            #"{"name": "a", "size": 1, "isFragile": true, "lines": [{"name": 1}], "lid": {"name": "b"}}"#
        ) { parcel, check in
            check.require(parcel.name != "a", "name", "must not be a")
            check.require(false, "lines", "depends on a faulty part")
            check.require(false, "size", "is faulty itself")
            check.require(false, "lid", "must match", reading: ["lines[0].name"])
            check.require(false, "lid.name", "must not be b")
        }
        #expect(faults.map(\.path) == ["size", "lines[0].name", "name", "lid.name"])
    }

    @Test("A body without faults is read as it is")
    func good() async throws {
        let json = #"{"name":"a","size":"large","isFragile":false,"lines":[{"name":"b"}]}"#
        let parcel = try await Request.decode(Parcel.self, from: Data(json.utf8))
        #expect(
            parcel
                == Parcel(
                    name: "a", size: .large, from: nil, isFragile: false, lines: [.init(name: "b", count: nil)],
                    lid: nil))
    }

    @Test("One fault is the detail, of several their number is; a body of nothing but faults is bounded")
    func detail() async {
        func problem(_ json: String) async -> Problem? {
            do {
                _ = try await Request.decode(Parcel.self, from: Data(json.utf8))
                return nil
            } catch {
                return error as? Problem
            }
        }
        let one = await problem(#"{"name":"a","size":"large","isFragile":1,"lines":[]}"#)
        #expect(one?.detail == "isFragile is not true or false")
        let empty = await problem("{}")
        #expect(empty?.detail == "4 places are wrong", "\(empty?.errors ?? [])")
        #expect(await problem("[]")?.detail == "the body is not an object")
        let lines = Array(repeating: "{}", count: 1_000).joined(separator: ",")
        let many = await problem(#"{"name":"a","size":"large","isFragile":true,"lines":[\#(lines)]}"#)
        #expect(many?.errors.count == 50)
    }

    @Test("Everything that a service reads strictly has an example whose every part can stand in")
    func examples() throws {
        let types: [any StrictBody.Type] = [
            PlaceOrderBody.self, StatusBody.self, AssignBody.self, ItemBody.self, HoldBody.self, PromiseBody.self,
            GiveFeedbackBody.self, TripBody.self, ErasePersonBody.self, IssueTokenBody.self, EnrolPhoneBody.self,
            BeginDutyBody.self,
            CourierMapBody.self, PutFaceBody.self,
            EndCardBody.self, ReasonBody.self, GiveProofBody.self, DropOffBody.self, RecipientBody.self,
            AddItemsBody.self, SettleCorrectionBody.self,
        ]
        func check<Body: StrictBody>(_ type: Body.Type) throws {
            #expect(
                WireJSON.decodeWhole(type, from: try WireJSON.encode(Body.example)) != nil, "\(type) is read slowly")
            #expect(StandIns(Body.example)?.value(type, at: []) != nil, "\(type)")
            for child in Mirror(reflecting: Body.example).children {
                #expect("\(child.value)" != "nil", "\(type).\(child.label ?? "")")
            }
        }
        for type in types { try check(type) }
    }
}
