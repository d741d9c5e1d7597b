import ArrivalEstimate
import AsyncHTTPClient
import Foundation
import NIOCore
import NIOFoundationEssentialsCompat
import NIOHTTP1

/// Whoever answers how far it is by road, over a network.
protocol RoadEngine: Sendable {
    /// - Throws: a `EngineFault`, or a cancellation.
    func answer(from: Place, to: Place, by mode: TravelMode) async throws -> EngineAnswer
}

/// OSRM or Valhalla over HTTP.
struct HTTPRoadEngine: RoadEngine {
    let settings: RoadSettings.Engine

    /// Bytes of an answer that are read at most; the longest way across a town has a tenth of it.
    private static let answerBytesMax = 1024 * 1024

    func answer(from: Place, to: Place, by mode: TravelMode) async throws -> EngineAnswer {
        let place = settings.place(for: mode)
        var request: HTTPClientRequest
        switch settings.kind {
        case .osrm:
            request = HTTPClientRequest(url: place.url + OSRMProtocol.path(from: from, to: to, profile: place.profile))
        case .valhalla:
            request = HTTPClientRequest(url: place.url + ValhallaProtocol.path)
            request.method = .POST
            request.headers.add(name: "Content-Type", value: "application/json")
            request.body = .bytes(
                ByteBuffer(string: ValhallaProtocol.question(from: from, to: to, costing: place.profile)))
        }
        let body = try await body(answering: request)
        switch settings.kind {
        case .osrm: return try OSRMProtocol.answer(body)
        case .valhalla: return try ValhallaProtocol.answer(body, from: from, to: to)
        }
    }

    /// Both engines answer 400 with a reason in the body where a question has no answer.
    private func body(answering request: HTTPClientRequest) async throws -> Data {
        do {
            let response = try await HTTPClient.shared.execute(
                request, timeout: .nanoseconds(settings.timeout.nanoseconds))
            guard response.status == .ok || response.status == .badRequest else { throw EngineFault.failed }
            return Data(buffer: try await response.body.collect(upTo: Self.answerBytesMax))
        } catch let error as HTTPClientError where error == .deadlineExceeded || error == .connectTimeout {
            throw EngineFault.timedOut
        } catch  where !Task.isCancelled {
            throw EngineFault.failed
        }
    }
}

extension Duration {
    fileprivate var nanoseconds: Int64 {
        components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000
    }
}
