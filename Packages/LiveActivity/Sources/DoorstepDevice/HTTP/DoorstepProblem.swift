public import Foundation

/// A refusal by Doorstep, in its own words, or the reason why it was not reached.
public struct DoorstepProblem: Error, Hashable, Sendable {
    /// Nil where there was no answer.
    public let status: Int?
    /// Stable, such as `stale-press`: what a program decides by.
    public let type: String
    /// The same for every problem of a type.
    public let title: String
    /// About this one.
    public let detail: String?
    let retryAfterSeconds: Int?
    /// Whether the answer is not Doorstep's, such as a page of a proxy.
    let isForeign: Bool

    init(
        status: Int?, type: String, title: String, detail: String? = nil, retryAfterSeconds: Int? = nil,
        isForeign: Bool = false
    ) {
        self.status = status
        self.type = type
        self.title = title
        self.detail = detail
        self.retryAfterSeconds = retryAfterSeconds
        self.isForeign = isForeign
    }

    /// Reads a problem document (RFC 9457); another answer is described by its status.
    init(_ response: DeviceHTTPResponse) {
        // An answer without a problem document, such as a proxy's page, is described by its status.
        let document = try? JSONDecoder().decode(Document.self, from: response.body)
        self.init(
            status: response.status, type: document?.type.split(separator: "/").last.map(String.init) ?? "unknown",
            title: document?.title ?? "The server answered with status \(response.status)", detail: document?.detail,
            retryAfterSeconds: response.retryAfterSeconds, isForeign: document == nil)
    }

    private struct Document: Decodable {
        let type: String
        let title: String
        let detail: String?
    }

    static func notReached(_ error: any Error) -> DoorstepProblem {
        DoorstepProblem(
            status: nil, type: "not-reached", title: "Doorstep was not reached", detail: words(of: error))
    }

    /// The words of an error for a person; nil where it has none.
    ///
    /// Its description is not for persons, and names the URL of the request: a link of a card is a secret.
    static func words(of error: any Error) -> String? {
        if let error = error as? any LocalizedError { return error.errorDescription }
        return error is URLError || error is CocoaError ? error.localizedDescription : nil
    }

    static func unreadable(_ response: DeviceHTTPResponse) -> DoorstepProblem {
        DoorstepProblem(
            status: response.status, type: "unreadable-answer", title: "The answer could not be read", isForeign: true)
    }

    /// Whether the same upload may succeed later: a refused customer's token may be a newer one then, and the network
    /// may lead to Doorstep.
    ///
    /// What is wanted is asked again in any case: an answer that cannot be read holds up no report. Nor does an upload that
    /// a proxy refuses for its size or form, which stay as they are.
    func isRetriable(_ upload: PendingUploads.Upload) -> Bool {
        isTransient || (isForeign && !isOfRequest && upload != .wanted)
    }

    private var isOfRequest: Bool { [400, 413, 414, 422, 431].contains(status) }

    /// Whether it passes by itself, so that the app is not notified.
    var isTransient: Bool {
        switch status {
        case nil, 401, 408, 429: true
        case let status?: status >= 500
        }
    }
}

extension DoorstepProblem: LocalizedError {
    public var errorDescription: String? { detail ?? title }
}
