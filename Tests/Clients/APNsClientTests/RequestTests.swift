import Foundation
import NIOHPACK
import Testing

@testable import APNsClient

@Suite("Requests to APNs")
struct RequestTests {
    private func fault(_ change: (inout APNsRequest) -> Void) -> APNsNotSentCause? {
        var request = Fixture.request()
        change(&request)
        return request.fault
    }

    @Test("A body of 4,096 bytes is sent, one more is not, nor is an empty one")
    func bodySize() {
        #expect(fault { $0.body = Array(repeating: 32, count: 4_096) } == nil)
        #expect(fault { $0.body = Array(repeating: 32, count: 4_097) } == .bodyTooLarge(bytes: 4_097))
        #expect(fault { $0.body = [] } != nil)
    }

    @Test("A token is hex of any even length", arguments: [2, 64, 160, 200, 1_024])
    func tokens(length: Int) {
        #expect(fault { $0.token = String(repeating: "a", count: length) } == nil)
    }

    @Test("What is no token is not sent", arguments: ["", "abc", "xy", "ab/d", "ab\r\n", "ab ", "éé"])
    func badTokens(token: String) {
        guard case .invalidRequest = fault({ $0.token = token }) else {
            Issue.record("\(token.debugDescription) would be sent")
            return
        }
    }

    @Test("A value that would be more than one header is not sent")
    func injection() {
        #expect(fault { $0.topic = "a\r\nb: c" } != nil)
        #expect(fault { $0.topic = "" } != nil)
        #expect(fault { $0.expiration = -1 } != nil)
    }

    @Test("Headers are Apple's, with their hints: secrets are never in the table, names of changing ones once")
    func headers() throws {
        var headers = RequestHeaders(authority: "api.push.apple.com")
        var request = Fixture.request(7)
        request.id = UUID(uuid: (0xab, 0xcd, 0xef, 0, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 0, 0, 0))
        let first = headers.headers(for: request, authorization: "bearer x")
        #expect(first.first(name: ":method") == "POST")
        #expect(first.first(name: ":path") == "/3/device/abcd" + String(repeating: "0", count: 60))
        #expect(first.first(name: ":authority") == "api.push.apple.com")
        #expect(first.first(name: "authorization") == "bearer x")
        #expect(first.first(name: "apns-push-type") == "liveactivity")
        #expect(first.first(name: "apns-topic") == "shop.nordhavn.app.push-type.liveactivity")
        #expect(first.first(name: "apns-priority") == "10")
        #expect(first.first(name: "apns-expiration") == "1795000600")
        #expect(first.first(name: "apns-id") == "abcdef00-0000-4000-8000-000000000000")
        #expect(first.map(\.name).filter { $0.hasPrefix(":") } == Array(first.map(\.name).prefix(4)))
        request.priority = .opportunistic
        let second = headers.headers(for: request, authorization: "bearer x")
        #expect(second.first(name: "apns-priority") == "5")
        func unindexed(_ headers: HPACKHeaders) -> Set<String> {
            Set(headers.filter { if case .nonIndexable = $0.indexable { true } else { false } }.map(\.name))
        }
        #expect(unindexed(first) == [":path", "authorization"])
        #expect(unindexed(second) == [":path", "authorization", "apns-id", "apns-expiration"])
    }

    @Test(
        "An address is https with a host, and the port that it names",
        arguments: [
            ("https://api.push.apple.com", "api.push.apple.com", 443, "api.push.apple.com", "api.push.apple.com"),
            (
                "https://api.push.apple.com:2197/", "api.push.apple.com", 2_197, "api.push.apple.com:2197",
                "api.push.apple.com"
            ),
            ("https://[::1]:8443", "::1", 8_443, "[::1]:8443", nil),
        ] as [(String, String, Int, String, String?)])
    func endpoints(url: String, host: String, port: Int, authority: String, serverName: String?) throws {
        let endpoint = try APNsEndpoint(url, setting: "apns.production.url")
        #expect(endpoint.host == host)
        #expect(endpoint.port == port)
        #expect(endpoint.authority == authority)
        // TLS names a host, and never an address.
        #expect(endpoint.serverName == serverName)
    }

    @Test("What is no such address names its setting", arguments: ["http://x", "x", "", "https://", "https://x/path"])
    func badEndpoints(url: String) {
        #expect { try APNsEndpoint(url, setting: "apns.production.url") } throws: { error in
            (error as? APNsConfigurationError)?.setting == "apns.production.url"
        }
    }
}
