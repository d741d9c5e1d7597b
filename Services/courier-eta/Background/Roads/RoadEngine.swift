import ArrivalEstimate
import AsyncHTTPClient
import Foundation
import NIOCore
import NIOFoundationEssentialsCompat
import NIOHTTP1
import OrderDomain

/// A routing engine that answers the distance by road, over a network.
protocol RoadEngine: Sendable {
    /// - Throws: a `RoadFault`, or a cancellation.
    func answer(from: Coordinate, to: Coordinate, by mode: TravelMode) async throws -> RoadAnswer
}

/// OSRM or Valhalla over HTTP.
struct HTTPRoadEngine: RoadEngine {
    let settings: RoadSettings.Engine

    /// Bytes of a response that are read at most; the longest route across a town has a tenth of it.
    private static let answerBytesMax = 1024 * 1024

    func answer(from: Coordinate, to: Coordinate, by mode: TravelMode) async throws -> RoadAnswer {
        let endpoint = settings.endpoint(for: mode)
        var request: HTTPClientRequest
        switch settings.kind {
        case .osrm:
            request = HTTPClientRequest(
                url: endpoint.url + OSRMProtocol.path(from: from, to: to, profile: endpoint.profile))
        case .valhalla:
            request = HTTPClientRequest(url: endpoint.url + ValhallaProtocol.path)
            request.method = .POST
            request.headers.add(name: "Content-Type", value: "application/json")
            request.body = .bytes(
                ByteBuffer(string: ValhallaProtocol.request(from: from, to: to, costing: endpoint.profile)))
        }
        let body = try await body(answering: request)
        switch settings.kind {
        case .osrm: return try OSRMProtocol.answer(body)
        case .valhalla: return try ValhallaProtocol.answer(body, from: from, to: to)
        }
    }

    /// Both engines respond 400 with a reason in the body where there is no route.
    private func body(answering request: HTTPClientRequest) async throws -> Data {
        do {
            let response = try await HTTPClient.shared.execute(
                request, timeout: .nanoseconds(settings.timeout.nanoseconds))
            guard response.status == .ok || response.status == .badRequest else { throw RoadFault.failed }
            return Data(buffer: try await response.body.collect(upTo: Self.answerBytesMax))
        } catch let error as HTTPClientError where error == .deadlineExceeded || error == .connectTimeout {
            throw RoadFault.timedOut
        } catch  where !Task.isCancelled {
            throw RoadFault.failed
        }
    }
}

extension Duration {
    fileprivate var nanoseconds: Int64 {
        components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000
    }
}
