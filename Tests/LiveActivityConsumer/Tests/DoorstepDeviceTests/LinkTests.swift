import Foundation
import LiveActivity
import Testing

@testable import DoorstepDevice

@Suite("Links of a card")
struct LinkTests {
    private static let answer = #"""
        {"verb":"cancel","delivery":"d-1","message":"Cancel this delivery of order G-1042","isPressable":true,
         "attributes":{"activity":"a-1","store":"Nordhavn","itemCount":14,"timeZone":"Europe/Copenhagen"},
         "content":{"headline":{"code":"picking","values":{},"text":"Picking"},"phase":"picking","progress":0.2,
                    "flags":[],"buttons":[],"revision":{"version":3,"step":0}}}
        """#

    private static func device(_ server: FakeServer) throws -> DoorstepDevice {
        DoorstepDevice(
            try TestDevice.configuration(), activities: FakePhone(), identities: TestDevice.Identities(nil),
            http: server, token: { "customer-token" })
    }

    @Test("A link is shown with GET and pressed with POST, with the customer's token beside it")
    func press() async throws {
        let server = FakeServer { _ in .json(Self.answer) }
        let device = try Self.device(server)
        let link = try #require(URL(string: "https://go.example/l/AQ_b-9"))
        #expect(try await device.link(link).isPressable)
        _ = try await server.next(.get, "/l/AQ_b-9")
        #expect(try await device.press(link).message == "Cancel this delivery of order G-1042")
        _ = try await server.next(.post, "/l/AQ_b-9")
    }

    @Test("A refused press throws the server's own words")
    func refusal() async throws {
        let server = FakeServer { _ in .problem("stale-press", status: 409, detail: "The delivery has ended") }
        let device = try Self.device(server)
        let link = try #require(URL(string: "https://go.example/l/AQ"))
        let problem = await #expect(throws: DoorstepProblem.self) { try await device.press(link) }
        #expect(problem?.type == "stale-press" && problem?.status == 409)
        #expect(problem?.localizedDescription == "The delivery has ended")
    }

    @Test("Why Doorstep was not reached is told in words for a person, without the link that was asked for")
    func notReached() {
        struct SessionExpired: LocalizedError { var errorDescription: String? { "Sign in again" } }
        struct Undescribed: Error { let url = "https://go.example/l/AQ" }
        #expect(DoorstepProblem.notReached(SessionExpired()).localizedDescription == "Sign in again")
        #expect(DoorstepProblem.notReached(Undescribed()).localizedDescription == "Doorstep was not reached")
        #expect(DoorstepProblem.notKept(Undescribed()).detail == nil)
        let lost = URLError(
            .networkConnectionLost, userInfo: ["NSErrorFailingURLStringKey": "https://go.example/l/AQ"])
        let text = DoorstepProblem.notReached(lost).localizedDescription
        #expect(!text.isEmpty && !text.contains("Domain=") && !text.contains("/l/"))
    }

    @Test(
        "The customer's token goes to no URL that is not a link of a card",
        arguments: [
            "https://go.example.evil/l/AQ", "https://evil/l/AQ", "http://go.example/l/AQ",
            "https://go.example:444/l/AQ",
            "https://go.example@evil/l/AQ", "https://me@go.example/l/AQ", "https://go.example/l/",
            "https://go.example/l",
            "https://go.example/l/AQ/more", "https://go.example/m/AQ", "https://go.example/l/AQ?x=1",
            "https://go.example/l/AQ#x", "https://go.example/l/..%2Fv1", "https://go.example//l/AQ", "shop://l/AQ",
            "mailto:go.example", "https://go.example/l/\(String(repeating: "A", count: 121))",
        ])
    func foreign(text: String) async throws {
        let server = FakeServer { _ in .json(Self.answer) }
        let device = try Self.device(server)
        let url = try #require(URL(string: text))
        for isPress in [false, true] {
            let problem = await #expect(throws: DoorstepProblem.self) {
                _ = isPress ? try await device.press(url) : try await device.link(url)
            }
            #expect(problem?.type == "not-a-link")
        }
        let link = try #require(URL(string: "HTTPS://GO.example:443/l/AQ"))
        _ = try await device.link(link)
        #expect(await server.next().url == link)
    }
}
