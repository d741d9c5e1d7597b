internal import Glibc
internal import NIOPosix

/// Looks names up as the system does, on threads of their own, since it may take seconds.
enum NameResolver {
    /// Every address of a name, each once, in the system's order; literal addresses are themselves.
    ///
    /// - Throws: ``WebhookFailure/notResolved``.
    static func addresses(of host: String) async throws -> [EgressAddress] {
        try await NIOThreadPool.singleton.runIfActive {
            var hints = addrinfo()
            hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
            var first: UnsafeMutablePointer<addrinfo>?
            guard getaddrinfo(host, nil, &hints, &first) == 0, let first else { throw WebhookFailure.notResolved }
            defer { freeaddrinfo(first) }
            var addresses: [EgressAddress] = []
            var next: UnsafeMutablePointer<addrinfo>? = first
            while let info = next?.pointee {
                if let address = EgressAddress(info), !addresses.contains(address) { addresses.append(address) }
                next = info.ai_next
            }
            guard !addresses.isEmpty else { throw WebhookFailure.notResolved }
            return addresses
        }
    }
}

extension EgressAddress {
    fileprivate init?(_ info: addrinfo) {
        var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        guard
            getnameinfo(
                info.ai_addr, info.ai_addrlen, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST) == 0
        else { return nil }
        // What follows the sign is an interface of this machine.
        let digits = text.map { UInt8(bitPattern: $0) }.prefix { $0 != 0 && $0 != UInt8(ascii: "%") }
        self.init(String(decoding: digits, as: UTF8.self))
    }
}
