internal import Foundation
internal import Glibc
internal import HTTPTypes
internal import Hummingbird

/// The proxies in front of a service, whose `X-Forwarded-For` names a request's client.
///
/// The header of any other peer is ignored: any client can write one.
struct TrustedProxies: Sendable {
    /// Sixteen bytes; an IPv4 address in its IPv6-mapped form (RFC 4291 section 2.5.5.2).
    private struct Network {
        let bytes: [UInt8]
        let bits: Int

        /// - Parameter text: an address, or one with the number of leading bits that count: `10.0.0.0/8`.
        init?(_ text: String) {
            let parts = text.split(separator: "/", omittingEmptySubsequences: false)
            guard (1...2).contains(parts.count), let bytes = addressBytes(String(parts[0])) else { return nil }
            let width = parts[0].contains(":") ? 128 : 32
            guard let bits = parts.count == 2 ? Int(parts[1]) : width, (0...width).contains(bits) else { return nil }
            self.bytes = bytes
            self.bits = 128 - width + bits
        }

        func contains(_ address: [UInt8]) -> Bool {
            for index in 0..<16 {
                let counted = min(8, max(0, bits - 8 * index))
                let mask = UInt8(truncatingIfNeeded: 0xFF00 >> counted)
                if (address[index] ^ bytes[index]) & mask != 0 { return false }
            }
            return true
        }
    }

    private let networks: [Network]

    static let none = TrustedProxies()

    private init() { networks = [] }

    /// - Returns: nil where one of the texts is neither an address nor a network.
    init?(_ texts: [String]) {
        let networks = texts.compactMap { Network($0) }
        guard networks.count == texts.count else { return nil }
        self.networks = networks
    }

    func contains(_ address: String) -> Bool {
        guard !networks.isEmpty, let bytes = addressBytes(address) else { return false }
        return networks.contains { $0.contains(bytes) }
    }

    /// The client of a request: the other end of the connection, or the nearest address before the trusted proxies.
    ///
    /// Each proxy appends its peer's address, so the end of the list counts.
    /// - Parameter forwardedFor: the values of `X-Forwarded-For`, in the order of the headers.
    func client(peer: String?, forwardedFor: [String]) -> String? {
        guard let peer, contains(peer) else { return peer }
        var client = peer
        let hops = forwardedFor.joined(separator: ",").split(separator: ",")
        for hop in hops.reversed() {
            let address = hop.trimmingCharacters(in: .whitespaces)
            guard addressBytes(address) != nil else { break }
            client = address
            guard contains(address) else { break }
        }
        return client
    }
}

/// An address as sixteen bytes; nil for another text.
private func addressBytes(_ text: String) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: 16)
    if inet_pton(AF_INET6, text, &bytes) == 1 { return bytes }
    var four = [UInt8](repeating: 0, count: 4)
    guard inet_pton(AF_INET, text, &four) == 1 else { return nil }
    return [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF] + four
}

extension AppContext {
    /// The network of a request, by which limits without a token count.
    package var remoteNetwork: String { network(of: remoteAddress ?? "") }
}

/// The network of an address: an IPv4 address itself, or the 64-bit prefix that an IPv6 household has.
func network(of address: String) -> String {
    guard address.contains(":"), let bytes = addressBytes(address) else { return address }
    // An IPv4-mapped IPv6 address counts as its IPv4 address.
    if bytes[..<12] == [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF] {
        return bytes[12...].map { "\($0)" }.joined(separator: ".")
    }
    let groups = stride(from: 0, to: 8, by: 2).map { String(Int(bytes[$0]) << 8 | Int(bytes[$0 + 1]), radix: 16) }
    return groups.joined(separator: ":") + "::/64"
}

/// Puts the address that limits count by into the context, where the request came through a trusted proxy.
struct ClientAddressMiddleware: RouterMiddleware {
    let proxies: TrustedProxies

    func handle(
        _ request: Request, context: AppContext, next: (Request, AppContext) async throws -> Response
    ) async throws -> Response {
        var context = context
        context.remoteAddress = proxies.client(
            peer: context.remoteAddress, forwardedFor: request.headers[values: .forwardedFor])
        return try await next(request, context)
    }
}

extension HTTPField.Name {
    fileprivate static let forwardedFor = HTTPField.Name("X-Forwarded-For")!
}
