import DeliveryProviders
import DoorstepAPI
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import ProviderSamples
import ServiceRuntime
import TestSupport
import Testing

@testable import Partners

extension InboundFaultsTests {
    @Test("A secret that is removed while a body is on its way proves nothing after its end", arguments: [false, true])
    func lateBody(isForToken: Bool) async throws {
        try await PartnersUnderTest.run { partners, client in
            let source = try await partners.addSource(client, .doorDash)
            let path = "/v1/sources/\(source.id)/secrets"
            let secrets = try await partners.send(client, .post, path).decode(SourceBody.self).secrets
            let first = try #require(secrets.first)
            var text = ProviderLife(of: .doorDash, from: PartnersUnderTest.start).bodies[0]
            var proof = ProviderProof.headers(of: Data(text.utf8), from: .doorDash, secret: source.secret)
            if isForToken {
                text = "grant_type=client_credentials"
                proof = ["authorization": "Basic " + Data("\(source.id):\(source.secret)".utf8).base64EncodedString()]
            }
            var fields: HTTPFields = [.contentType: ProviderProof.contentType(of: .doorDash)]
            for (name, value) in proof { fields[try #require(HTTPField.Name(name))] = value }
            let head = HTTPRequest(
                method: .post, scheme: nil, authority: nil, path: "/in/\(source.id)" + (isForToken ? "/token" : ""),
                headerFields: fields)
            let bytes = ByteBuffer(string: text)
            func status(
                meanwhile: @escaping @Sendable () async throws -> Void
            ) async throws -> HTTPResponse.Status {
                let body = RequestBody(asyncSequence: LateBody(bytes: bytes, meanwhile: meanwhile))
                return try await partners.http.application.responder.respond(
                    to: Request(head: head, body: body), context: try Self.context(from: "127.0.0.1")
                ).status
            }
            #expect(try await status(meanwhile: {}) == .ok)
            let refused = try await status {
                let removed = try await partners.send(client, .delete, "\(path)/\(first.id)")
                #expect(removed.status == .noContent)
            }
            #expect(refused == .unauthorized)
        }
    }
}

/// A body that comes once the work has ended that its first read begins.
private struct LateBody: AsyncSequence, Sendable {
    let bytes: ByteBuffer
    let meanwhile: @Sendable () async throws -> Void

    struct AsyncIterator: AsyncIteratorProtocol {
        var left: ByteBuffer?
        let meanwhile: @Sendable () async throws -> Void

        mutating func next() async throws -> ByteBuffer? {
            guard let bytes = left else { return nil }
            left = nil
            try await meanwhile()
            return bytes
        }
    }

    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(left: bytes, meanwhile: meanwhile) }
}
