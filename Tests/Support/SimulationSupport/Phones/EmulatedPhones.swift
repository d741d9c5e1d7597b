package import EmulatorAPI
import Foundation
import NIOHTTP1
import TestSupport

/// The phones of a stack and Apple's service before them, by the control side of `apns-emulator`.
package struct EmulatedPhones: Sendable {
    /// The emulator refused a request.
    package struct Refused: Error, CustomStringConvertible {
        package let description: String
    }

    /// Base URL of the control side.
    package let url: String

    package init(url: String) { self.url = url }

    /// Adds an iPhone whose app signs in with this token.
    ///
    /// - Parameter startBudget: the starts that it accepts in an hour; by default the number from field reports.
    package func add(_ id: String, customerToken: String, startBudget: Int? = nil) async throws {
        var new = NewEmulatedPhoneBody(id: id, bundleID: "shop.nordhavn.app")
        new.customerToken = customerToken
        new.startBudget = startBudget
        try await send(.POST, "/phones", try JSONEncoder().encode(new))
    }

    package func act(_ action: PhoneActionBody.Action, on id: String) async throws {
        try await send(.POST, "/phones/\(id)/actions", try JSONEncoder().encode(PhoneActionBody(action)))
    }

    /// A phone as it is now, read again until the emulator answers.
    ///
    /// - Parameter hasPushes: whether its pushes are read too.
    package func phone(_ id: String, hasPushes: Bool = true) async throws -> EmulatedPhoneBody {
        try JSONDecoder().decode(
            EmulatedPhoneBody.self, from: try await read("/phones/\(id)\(hasPushes ? "" : "?pushes=false")"))
    }

    /// Injects a fault into Apple's service, by a body in the form of `docs/apns-emulator.md`.
    package func addFault(_ body: String) async throws { try await send(.POST, "/faults", Data(body.utf8)) }

    /// Removes all faults from Apple's service.
    package func removeFaults() async throws { try await send(.DELETE, "/faults") }

    /// Faults that have not met all their requests yet.
    package var faultsLeft: [String] {
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
        let (status, answer) = try await RetryingClient.attempt(method, url + path, body: body)
        guard (200..<300).contains(status) else {
            let detail = String(decoding: answer, as: UTF8.self)
            throw Refused(description: "\(method.rawValue) \(path): \(status) \(detail)")
        }
        return answer
    }
}
