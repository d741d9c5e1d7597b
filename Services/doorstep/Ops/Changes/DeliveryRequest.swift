import CommandOutput
import DoorstepAPI
import NIOHTTP1
import OrderDomain
import StackClient

/// One request that changes a delivery; a command may need several for one change.
struct DeliveryRequest: Sendable {
    /// The change in words: `set to staged`.
    let what: String
    let method: HTTPMethod
    /// After `/v1/deliveries/{id}`.
    let path: String
    let body: any Encodable & Sendable
}

extension PeerClient {
    /// Asks `orders` whether it would accept each of several requests, and changes nothing.
    ///
    /// A single request needs no check: where it is refused, nothing was changed.
    ///
    /// - Parameter delivery: as it was when the requests were made for it.
    /// - Throws: `CommandFailure` where one would be refused.
    func check(_ requests: [DeliveryRequest], of delivery: DeliveryBody) async throws {
        guard requests.count > 1 else { return }
        for request in requests {
            _ = try await exchange(
                request.method, "/v1/deliveries/\(delivery.id)\(request.path)", query: [("preview", "true")],
                body: request.body, headers: ["If-Match": "\"v\(delivery.version)\""])
        }
    }
}

extension CommandFailure {
    /// The failure of a request after others of the same change, which were made.
    var afterOthers: CommandFailure {
        CommandFailure(kind, "\(message); what is printed above was made: repeat the rest")
    }
}
