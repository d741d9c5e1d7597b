internal import NIOHTTP2
internal import NIOPosix
internal import NIOSSL

/// Whether a channel's error ends its connection or one stream.
enum ConnectionFailure {
    /// Whether the error is the fault of one answer, which HTTP/2 forbids: the connection stays open.
    ///
    /// The HTTP/2 handler resets such a stream, and forwards most of these errors without its number.
    /// - Source: RFC 9113, section 8.1.1: a malformed message is a stream error.
    static func isOfStream(_ error: any Error) -> Bool {
        switch error {
        case is NIOHTTP2Errors.StreamError, is NIOHTTP2Errors.TrailersWithoutEndStream,
            is NIOHTTP2Errors.ContentLengthViolated, is NIOHTTP2Errors.ContentLengthHeadersMismatch,
            is NIOHTTP2Errors.ContentLengthHeaderMalformedValue, is NIOHTTP2Errors.ContentLengthHeaderNegative,
            is NIOHTTP2Errors.ForbiddenHeaderField, is NIOHTTP2Errors.InvalidHTTP2HeaderFieldName,
            is NIOHTTP2Errors.InvalidPseudoHeaders, is NIOHTTP2Errors.DuplicatePseudoHeader,
            is NIOHTTP2Errors.UnknownPseudoHeader, is NIOHTTP2Errors.UnsupportedPseudoHeader,
            is NIOHTTP2Errors.PseudoHeaderAfterRegularHeader, is NIOHTTP2Errors.InvalidStatusValue:
            true
        default: false
        }
    }

    /// Why a connection failed, for results and logs.
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
