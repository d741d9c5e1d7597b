import CommandOutput
import Foundation
import Testing

@testable import StackClient

@Suite("A service that is not reached")
struct ConnectionFailureTests {
    private func failure(_ address: String) async -> CommandFailure? {
        do {
            let client = try PeerClient(.orders, token: nil, environment: ["DOORSTEP_ORDERS_URL": address])
            _ = try await client.get("/l/secret", as: NoBody.self)
            return nil
        } catch {
            return error as? CommandFailure
        }
    }

    @Test("Its host and port are named, what is wrong in words, and what to do")
    func refused() async throws {
        // Port 1 is tcpmux, which nothing of ours and no test listens on.
        let failure = try #require(await failure("http://127.0.0.1:1"))
        #expect(failure.kind == .unavailable)
        #expect(failure.message.contains("http://127.0.0.1:1 refuses connections"))
        #expect(failure.message.contains("doorstep admin doctor"))
        #expect(!failure.message.contains("errno") && !failure.message.contains("secret"))
    }

    @Test("A host that is not known is said to be that")
    func unknownHost() async throws {
        let failure = try #require(await failure("http://doorstep.invalid:8081/"))
        #expect(failure.message.hasPrefix("http://doorstep.invalid:8081 "))
        #expect(!failure.message.contains("NIO"), "\(failure.message)")
    }

    @Test(
        "An address without a scheme names its variable and how to write it",
        arguments: ["127.0.0.1:8081", "orders.example", "orders.example:8081", "ftp://orders.example", "http://"])
    func bareHost(address: String) {
        #expect {
            _ = try PeerClient(.orders, token: nil, environment: ["DOORSTEP_ORDERS_URL": address])
        } throws: { error in
            let failure = error as? CommandFailure
            return failure?.kind == .usage && failure?.message.contains("DOORSTEP_ORDERS_URL") == true
                && failure?.message.contains("http://127.0.0.1:8081") == true
        }
    }
}
