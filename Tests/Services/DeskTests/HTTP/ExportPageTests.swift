import DoorstepAPI
import Foundation
import HTTPTypes
import HummingbirdTesting
import OrderDomain
import TestSupport
import Testing

@testable import Desk

@Suite("Exports at the desk", .tags(.integration), .postgresSchema, .timeLimit(.minutes(5)))
struct ExportPageTests {
    @Test("A supervisor exports a customer's data, sees how far it is, and downloads the archive")
    func exports() async throws {
        try await DeskUnderTest.run { desk, client in
            let id = UUID().uuidString.lowercased()
            func body(isDone: Bool) -> PersonRequestBody {
                PersonRequestBody(
                    id: id, kind: .export, state: isDone ? .done : .running, customer: CustomerID(rawValue: "mette"),
                    requestedBy: "operator sven", requestedAt: desk.wall.now,
                    finishedAt: isDone ? desk.wall.now : nil,
                    services: [
                        .init(
                            service: "activity-dispatch", isDone: isDone, tables: [.init(table: "pushes", rows: 61)],
                            failure: isDone ? nil : "no answer")
                    ], expiries: isDone ? [.init(what: "the archive", until: desk.wall.now)] : nil,
                    archive: isDone ? "/v1/person-requests/\(id)/archive" : nil)
            }
            try desk.services.answer("orders", "POST /v1/customers/mette/export", body(isDone: false))
            try desk.services.answer("orders", "/v1/person-requests/\(id)", body(isDone: false))
            let sven = try await desk.browser(client, as: "sven", role: .supervisor)
            #expect(try await sven.get("/persons").html.contains("Export the customer's data"))
            #expect(try await sven.post("/persons/export", [("customer", "no id!")]).0.status == .unprocessableContent)
            let accepted = try await sven.post("/persons/export", [("customer", "mette")])
            #expect(accepted.0.headers[.location] == "/persons/\(id)")
            let running = try await sven.get("/persons/\(id)").html
            #expect(running.contains("mette are being exported") && running.contains("no answer"))
            #expect(!running.contains("/archive"))

            try desk.services.answer("orders", "/v1/person-requests/\(id)", body(isDone: true))
            let done = try await sven.get("/persons/\(id)").html
            #expect(done.contains("mette are exported") && done.contains("61 records"))
            #expect(done.contains("/persons/\(id)/archive?format=html"))

            let page = Array("<!doctype html><title>Your data</title>".utf8)
            desk.services.answer(
                "orders", "/v1/person-requests/\(id)/archive?format=html", bytes: page, type: "text/html")
            let archive = try await sven.get("/persons/\(id)/archive?format=html")
            #expect(archive.0.status == .ok && archive.html == String(decoding: page, as: UTF8.self))
            #expect(archive.0.headers[.contentDisposition] == "attachment; filename=\"\(id).html\"")
            #expect(archive.0.headers[.contentSecurityPolicy]?.contains("sandbox") == true)
            #expect(try await sven.get("/persons/\(UUID())/archive").0.status == .notFound)
        }
    }

    @Test("A supervisor exports a courier's data in the same way")
    func courier() async throws {
        try await DeskUnderTest.run { desk, client in
            let id = UUID().uuidString.lowercased()
            let jonas = try #require(CourierID(rawValue: "jonas"))
            func body(_ state: PersonRequestBody.State) -> PersonRequestBody {
                PersonRequestBody(
                    id: id, kind: .export, state: state, person: .courier, customer: nil, courier: jonas,
                    requestedBy: "operator sven", requestedAt: desk.wall.now, finishedAt: nil,
                    services: [.init(service: "orders", isDone: true, tables: [.init(table: "rides", rows: 7)])],
                    expiries: nil, archive: state == .done ? "/v1/person-requests/\(id)/archive" : nil)
            }
            try desk.services.answer("orders", "POST /v1/couriers/jonas/export", body(.running))
            try desk.services.answer("orders", "/v1/person-requests/\(id)", body(.running))
            let sven = try await desk.browser(client, as: "sven", role: .supervisor)
            #expect(try await sven.get("/persons").html.contains("Export the courier's data"))
            #expect(try await sven.post("/persons/export", [("courier", "no id!")]).0.status == .unprocessableContent)
            let accepted = try await sven.post("/persons/export", [("courier", "jonas")])
            #expect(accepted.0.headers[.location] == "/persons/\(id)")
            #expect(try await sven.get("/persons/\(id)").html.contains("courier jonas are being exported"))
            try desk.services.answer("orders", "/v1/person-requests/\(id)", body(.done))
            let done = try await sven.get("/persons/\(id)").html
            #expect(done.contains("courier jonas are exported") && done.contains("7 records"))
            #expect(done.contains("Download the page for the courier") && !done.contains("customer"))
        }
    }
}
