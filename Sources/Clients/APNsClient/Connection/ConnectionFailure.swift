internal import NIOHTTP2
internal import NIOPosix
internal import NIOSSL

/// Why a connection failed, for results and logs.
enum ConnectionFailure {
    static func text(of error: any Error) -> String {
        switch error {
        case let error as NIOConnectionError:
            if let refused = error.connectionErrors.first {
                "connecting failed: \(refused.error)"
            } else {
                "the name \(error.host) cannot be looked up: \(error.dnsAError ?? error.dnsAAAAError ?? error)"
            }
        case is NIOSSLError, is NIOSSLExtraError, is BoringSSLError: "TLS failed: \(error)"
        case let error as any NIOHTTP2Error: "HTTP/2 failed: \(error)"
        default: "\(error)"
        }
    }
}
