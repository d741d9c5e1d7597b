internal import AsyncHTTPClient
internal import FlowControl
internal import Foundation
internal import NIOHTTP1
internal import NIOPosix
internal import NIOSSL

extension WebPushResult {
    /// The result of an answer's status and headers.
    ///
    /// - Source: RFC 8030, sections 5 and 7; push services answer 404 for a subscription that never existed. Edge's
    ///   push service throttles with 406 (Windows, "Push notification service request and response headers").
    init(status: HTTPResponseStatus, headers: HTTPHeaders, now: Date) {
        switch status.code {
        case 200..<300: self = .delivered
        case 404, 410: self = .gone
        case 413: self = .tooLarge
        case 429: self = .throttled(retryAfter: headers.retryAfter(now: now))
        case 406 where headers.isThrottling: self = .throttled(retryAfter: headers.retryAfter(now: now))
        case 500..<600:
            self = .unavailable(.status(Int(status.code), retryAfter: headers.retryAfter(now: now)))
        default: self = .refused(status: Int(status.code))
        }
    }
}

extension HTTPHeaders {
    /// The wait that the server demands; nil where the header is missing or unreadable.
    func retryAfter(now: Date) -> Duration? {
        first(name: "retry-after").flatMap { RetryAfter.wait($0, date: first(name: "date"), now: now) }
    }

    /// Whether a refusal demands a pause, in either form of Edge's push service.
    fileprivate var isThrottling: Bool {
        contains(name: "retry-after") || first(name: "x-wns-status")?.lowercased().hasSuffix("throttled") == true
    }
}

extension WebPushUnavailableCause {
    /// The reason for a missing answer.
    ///
    /// Only an error that is impossible on an open connection counts as not connected: after any other the message may
    /// have been sent.
    init(_ error: any Error) {
        switch error {
        case is CancellationError: self = .cancelled
        case let error as HTTPClientError where error == .deadlineExceeded: self = .timedOut
        case let error as HTTPClientError
        where [.connectTimeout, .tlsHandshakeTimeout, .getConnectionFromPoolTimeout].contains(error):
            self = .notConnected("connecting took too long")
        // A caller's own cancellation is not one of the HTTP client.
        case let error as HTTPClientError where error == .cancelled:
            self = .connectionLost("the process shut down")
        case let error as NIOConnectionError:
            if let refused = error.connectionErrors.first {
                self = .notConnected("connecting failed: \(refused.error)")
            } else {
                self = .notConnected(
                    "the name \(error.host) cannot be looked up: \(error.dnsAError ?? error.dnsAAAAError ?? error)")
            }
        case NIOSSLError.handshakeFailed, is NIOSSLExtraError: self = .notConnected("TLS failed: \(error)")
        default: self = .connectionLost("\(error)")
        }
    }
}
