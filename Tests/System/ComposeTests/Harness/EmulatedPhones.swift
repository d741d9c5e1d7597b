import AsyncHTTPClient
import EmulatorAPI
import Foundation
import NIOCore
import NIOHTTP1
import SimulationSupport

/// The phones of a stack and Apple's service before them, by the control side of `apns-emulator`.
struct EmulatedPhones: Sendable {
    /// The emulator refused a request.
    struct Refused: Error, CustomStringConvertible {
        let description: String
    }

    /// Base URL of the control side.
    let url: String

    private static let timeout = TimeAmount.seconds(15)
    private static let answerBytesMax = 4 << 20

    /// Adds an iPhone whose app signs in with this token.
    func add(_ id: String, customerToken: String) async throws {
        var new = NewEmulatedPhoneBody(id: id, bundleID: "shop.nordhavn.app")
        new.customerToken = customerToken
        try await send(.POST, "/phones", try JSONEncoder().encode(new))
    }

    func act(_ action: PhoneActionBody.Action, on id: String) async throws {
        try await send(.POST, "/phones/\(id)/actions", try JSONEncoder().encode(PhoneActionBody(action)))
    }

    /// A phone as it is now, read again until the emulator answers.
    func phone(_ id: String) async throws -> EmulatedPhoneBody {
        try JSONDecoder().decode(EmulatedPhoneBody.self, from: try await read("/phones/\(id)"))
    }

    /// Has Apple's service misbehave, by a body as `docs/apns-emulator.md` has it.
    func addFault(_ body: String) async throws { try await send(.POST, "/faults", Data(body.utf8)) }

    /// Faults that have not met all their requests yet.
    var faultsLeft: [String] {
        get async throws {
            let body = try JSONSerialization.jsonObject(with: try await read("/faults")) as? [String: [Any]]
            return body?["faults"]?.map { "\($0)" } ?? []
        }
    }

    private func read(_ path: String) async throws -> Data {
        var answer: Data?
        try await eventually("GET \(path) of apns-emulator is answered") {
            do {
                answer = try await send(.GET, path)
            } catch let refused as Refused {
                throw refused
            } catch {
                try Task.checkCancellation()
            }
            return answer != nil
        }
        return answer ?? Data()
    }

    @discardableResult
    private func send(_ method: HTTPMethod, _ path: String, _ body: Data? = nil) async throws -> Data {
        var request = HTTPClientRequest(url: url + path)
        request.method = method
        if let body {
            request.headers.add(name: "Content-Type", value: "application/json")
            request.body = .bytes(ByteBuffer(bytes: body))
        }
        let response = try await RetryingClient.http.execute(request, timeout: Self.timeout)
        let bytes = Data(try await response.body.collect(upTo: Self.answerBytesMax).readableBytesView)
        guard (200..<300).contains(response.status.code) else {
            let detail = String(decoding: bytes, as: UTF8.self)
            throw Refused(description: "\(method.rawValue) \(path): \(response.status.code) \(detail)")
        }
        return bytes
    }
}
