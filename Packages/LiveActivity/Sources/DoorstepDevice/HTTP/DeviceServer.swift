import Foundation
import LiveActivity

/// The requests of a device.
struct DeviceServer: Sendable {
    let serverURL: URL
    let http: any DeviceHTTPClient
    /// The customer's token.
    let token: @Sendable () async throws -> String

    func customerToken() async throws(DoorstepProblem) -> String {
        do {
            return try await token()
        } catch {
            throw .notReached(error)
        }
    }

    /// - Parameter token: the customer's.
    /// - Returns: the secret to keep, where there is a new one.
    func register(
        _ body: RegisterDeviceBody, as device: String, token: String
    ) async throws(DoorstepProblem) -> String? {
        struct Answer: Decodable { let secret: String? }
        return try await answer(Answer.self, to: .put, url(device), body, token: token).secret
    }

    /// - Returns: the instances that are to be ended at once, and those that may stay.
    func report(
        _ reports: [ReportBody], of device: String
    ) async throws(DoorstepProblem) -> (ended: [String], kept: Set<String>) {
        // Only what is needed, so that a newer server's answers are read too.
        struct Answer: Decodable {
            struct Instance: Decodable {
                let instance: String
                let action: String
            }
            let instances: [Instance]?
        }
        let answer = try await answer(
            Answer.self, to: .post, url(device, "reports"), ReportsBody(reports: reports), token: customerToken())
        let instances = answer.instances ?? []
        return (
            instances.filter { $0.action == "end" }.map(\.instance),
            Set(instances.filter { $0.action == "keep" }.map(\.instance))
        )
    }

    func wanted(on device: String) async throws(DoorstepProblem) -> [WantedBody.Activity] {
        try await answer(
            WantedBody.self, to: .get, url(device, "wanted"), String?.none, token: customerToken()
        ).activities
    }

    func link(_ method: DeviceHTTPRequest.Method, _ url: URL) async throws(DoorstepProblem) -> LinkAnswer {
        try await answer(LinkAnswer.self, to: method, url, String?.none, token: customerToken())
    }

    private func url(_ device: String, _ rest: String...) -> URL {
        rest.reduce(serverURL.appending(path: "v1/devices").appending(path: device)) { $0.appending(path: $1) }
    }

    private func answer<Answer: Decodable>(
        _ type: Answer.Type, to method: DeviceHTTPRequest.Method, _ url: URL, _ body: (some Encodable)?, token: String
    ) async throws(DoorstepProblem) -> Answer {
        let response: DeviceHTTPResponse
        do {
            var request = DeviceHTTPRequest(
                method: method, url: url,
                headers: ["Authorization": "Bearer \(token)", "Accept": "application/json"])
            if let body {
                request.headers["Content-Type"] = "application/json"
                request.body = try WireCoding.encode(body)
            }
            response = try await http.send(request)
        } catch {
            throw .notReached(error)
        }
        guard (200..<300).contains(response.status) else { throw DoorstepProblem(response) }
        do {
            return try JSONDecoder().decode(type, from: response.body)
        } catch {
            throw .unreadable(response)
        }
    }
}
