import APIClient
import AsyncHTTPClient
import DeliveryDiagnosis
import Foundation
import NIOCore
import NIOHTTP1
import WireCoding

/// Asks the services over HTTP, for one person or for the desk itself.
struct ServiceClient: Sendable {
    /// A change that timed out may have been made, so its time-out is longer.
    private static let readTimeout = TimeAmount.seconds(5)
    private static let changeTimeout = TimeAmount.seconds(20)
    /// A long answer is read at the pace of a browser.
    private static let streamTimeout = TimeAmount.minutes(30)
    /// Optional data does not delay a page for longer.
    private static let besideTimeout = TimeAmount.seconds(1)

    let addresses: ServiceAddresses
    let tokens: OperatorTokens
    let outages: ServiceOutages
    let api: APIClient

    /// Reads something.
    ///
    /// - Throws: ``ServiceRefusal``, ``ServiceUnavailable``.
    func get<Body: Decodable & Sendable>(
        _ service: TimelineEvent.Source, _ path: String, for user: DeskUser, as type: Body.Type = Body.self
    ) async throws -> Body {
        try decoded(
            try await exchange(service, .GET, path, for: user, timeout: Self.readTimeout), of: service)
    }

    /// Gets a resource whose absence is a result.
    ///
    /// - Throws: ``ServiceRefusal`` for any refusal except 404.
    func read<Body: Decodable & Sendable>(
        _ service: TimelineEvent.Source, _ path: String, for user: DeskUser, as type: Body.Type = Body.self
    ) async throws -> PeerAnswer<Body> {
        do {
            return .body(try await get(service, path, for: user))
        } catch let refusal as ServiceRefusal where refusal.status == 404 {
            return .notFound
        } catch let refusal as ServiceRefusal where refusal.slug == ServiceRefusal.unrecorded {
            return .unavailable(reason: "\(service.rawValue) cannot record who reads this just now")
        } catch let error as ServiceUnavailable {
            return .unavailable(reason: error.description)
        }
    }

    /// Gets optional data of a page: nil where it is missing, forbidden, or late; a late answer is no outage.
    func readBeside<Body: Decodable & Sendable>(
        _ service: TimelineEvent.Source, _ path: String, for user: DeskUser, as type: Body.Type = Body.self
    ) async -> Body? {
        guard addresses.has(service) else { return nil }
        do {
            let answer = try await exchange(service, .GET, path, for: user, timeout: Self.besideTimeout)
            return try decoded(answer, of: service)
        } catch {
            return nil
        }
    }

    /// Gets an image; nil where there is none.
    ///
    /// - Returns: its bytes, and its content type among those that no browser runs.
    /// - Throws: ``ServiceRefusal``, ``ServiceUnavailable``.
    func image(
        _ service: TimelineEvent.Source, _ path: String, for user: DeskUser
    ) async throws -> (type: String, bytes: Data)? {
        let answer = try await exchange(service, .GET, path, for: user, timeout: Self.readTimeout)
        guard answer.status != 404 else { return nil }
        guard answer.isSuccess else { throw ServiceRefusal(answer, of: service) }
        guard let type = answer.headers.first(name: "Content-Type"), Self.imageTypes.contains(type) else {
            throw ServiceUnavailable(
                service: service, reason: "gives an image that this version cannot show", since: nil)
        }
        return (type, answer.body)
    }

    private static let imageTypes = ["image/jpeg", "image/png"]

    /// Gets something long, whose body is read as it arrives.
    ///
    /// - Throws: ``ServiceRefusal``, ``ServiceUnavailable``.
    func stream(
        _ service: TimelineEvent.Source, _ path: String, for user: DeskUser
    ) async throws -> HTTPClientResponse {
        guard addresses.has(service) else {
            throw ServiceUnavailable(service: service, reason: "is not configured", since: nil)
        }
        let token = try await tokens.token(of: user)
        let response: HTTPClientResponse
        do {
            response = try await api.stream(
                addresses.url(of: service) + path, token: token, timeout: Self.streamTimeout)
        } catch let cancellation as CancellationError {
            throw cancellation
        } catch {
            throw outages.began(service, "does not answer")
        }
        guard (200..<300).contains(response.status.code) else {
            throw ServiceRefusal(try await APIClient.Answer(reading: response), of: service)
        }
        return response
    }

    /// Sends a change.
    ///
    /// - Parameter version: the delivery's version that the operator saw; nil where the version is irrelevant.
    func send<Body: Decodable & Sendable>(
        _ method: HTTPMethod, _ service: TimelineEvent.Source, _ path: String, _ body: (some Encodable)?,
        version: Int? = nil, for user: DeskUser, as type: Body.Type = Body.self
    ) async throws -> Body {
        let headers: HTTPHeaders = version.map { ["If-Match": "\"v\($0)\""] } ?? [:]
        return try decoded(
            try await exchange(
                service, method, path, json: try body.map { Data(try WireJSON.encode($0)) }, headers: headers,
                for: user, timeout: Self.changeTimeout), of: service, mayBeDone: true)
    }

    /// Gets a path without a token and returns the answer, whatever its status; 502, 503 and 504 begin an outage too.
    ///
    /// - Throws: ``ServiceUnavailable`` without an answer.
    func probe(_ service: TimelineEvent.Source, _ path: String) async throws -> APIClient.Answer {
        try await exchange(service, .GET, path, for: nil, isProbe: true, timeout: Self.readTimeout)
    }

    private func decoded<Body: Decodable>(
        _ answer: APIClient.Answer, of service: TimelineEvent.Source, mayBeDone: Bool = false
    ) throws -> Body {
        guard answer.isSuccess else { throw ServiceRefusal(answer, of: service) }
        do {
            return try WireJSON.decode(Body.self, from: answer.body)
        } catch {
            throw ServiceUnavailable(
                service: service, reason: "gives an answer that this version cannot read", since: nil,
                mayBeDone: mayBeDone)
        }
    }

    private func exchange(
        _ service: TimelineEvent.Source, _ method: HTTPMethod, _ path: String, json: Data? = nil,
        headers: HTTPHeaders = [:], for user: DeskUser?, isProbe: Bool = false, timeout: TimeAmount
    ) async throws -> APIClient.Answer {
        guard addresses.has(service) else {
            throw ServiceUnavailable(service: service, reason: "is not configured", since: nil)
        }
        let token: String? = if let user { try await tokens.token(of: user) } else { nil }
        do {
            let answer = try await api.exchange(
                method, addresses.url(of: service) + path, token: token, json: json, headers: headers,
                timeout: timeout)
            guard ![502, 503, 504].contains(answer.status) else {
                let refusal = ServiceRefusal(answer, of: service)
                // It answers, and has not recorded its reader.
                if refusal.slug == ServiceRefusal.unrecorded { throw refusal }
                var outage = outages.began(service, "is not ready: it answers \(answer.status)")
                guard !isProbe else { return answer }
                outage.mayBeDone = method != .GET
                throw outage
            }
            outages.ended(service)
            return answer
        } catch let error as ServiceUnavailable {
            throw error
        } catch let refusal as ServiceRefusal {
            throw refusal
        } catch let cancellation as CancellationError {
            throw cancellation
        } catch let error as HTTPClientError where error == .deadlineExceeded && timeout == Self.besideTimeout {
            // A service that is slower than a page waits for optional data may answer within the time of a read.
            throw ServiceUnavailable(service: service, reason: "does not answer in time", since: nil)
        } catch {
            var outage = outages.began(service, "does not answer")
            outage.mayBeDone = method != .GET && !APIClient.isWithoutConnection(error)
            throw outage
        }
    }
}
