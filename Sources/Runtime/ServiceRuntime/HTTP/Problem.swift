internal import Foundation
package import HTTPTypes
package import Hummingbird
internal import WireCoding

/// An error that a caller of the API is answered with as a problem, such as a use case's refusal.
package protocol ProblemConvertible: Error {
    var problem: Problem { get }
}

/// A request's faults and their places, in the form of RFC 9457.
package struct Problem: ProblemConvertible, HTTPResponseError, Sendable, CustomStringConvertible {
    /// One faulty property of a request.
    package struct FieldError: Hashable, Codable, Sendable {
        /// `items[2].quantity`, `header Idempotency-Key`, `query cursor`; empty for the body as a whole.
        package let path: String
        package let message: String
        /// The values that it may have, or the properties that are known there; nil where they are not few.
        package let allowed: [String]?

        package init(path: String, message: String, allowed: [String]? = nil) {
            self.path = path
            self.message = message
            self.allowed = allowed
        }
    }

    package var status: HTTPResponse.Status
    /// The last part of `type`; stable, since clients distinguish problems by it.
    package var slug: String
    /// The title, equal for every problem of a type.
    package var title: String
    /// The fault of this request; nil when the title suffices.
    ///
    /// Never quotes secrets or inner errors.
    package var detail: String?
    package var errors: [FieldError]
    /// Further members, such as the transitions that are `allowed`.
    package var extra: [String: any Encodable & Sendable]
    package var headers: HTTPFields

    package init(
        _ status: HTTPResponse.Status, _ slug: String, title: String, detail: String? = nil,
        errors: [FieldError] = [], extra: [String: any Encodable & Sendable] = [:], headers: HTTPFields = [:]
    ) {
        self.status = status
        self.slug = slug
        self.title = title
        self.detail = detail
        self.errors = errors
        self.extra = extra
        self.headers = headers
    }

    package var problem: Problem { self }

    /// The URL that documents this type of problem.
    package var type: String { "https://doorstep.dev/problems/\(slug)" }

    /// When to ask again, in whole seconds, where that helps.
    package var retryAfter: Int? {
        get { headers[.retryAfter].flatMap { Int($0) } }
        set { headers[.retryAfter] = newValue.map(String.init) }
    }

    package var description: String {
        "\(status.code) \(slug)" + (detail.map { ": \($0)" } ?? "")
    }

    /// The response, with the `trace_id`; confidential, since the refused path may be a link.
    package func response() -> Response {
        // A problem of texts and numbers always encodes; the status is sent in any case.
        let data = (try? WireJSON.encode(ProblemBody(problem: self, traceID: TraceContext.current?.traceID))) ?? Data()
        var headers = headers
        headers[.contentType] = "application/problem+json"
        return Response(status: status, headers: headers, body: ResponseBody(byteBuffer: ByteBuffer(bytes: data)))
            .confidential()
    }

    /// - Throws: never.
    package func response(from request: Request, context: some RequestContext) throws -> Response { response() }
}

private struct ProblemBody: Encodable {
    struct Key: CodingKey {
        var stringValue: String
        var intValue: Int? { nil }
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    let problem: Problem
    let traceID: String?

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Key.self)
        for (name, value) in problem.extra { try container.encode(value, forKey: Key(stringValue: name)) }
        try container.encode(problem.type, forKey: Key(stringValue: "type"))
        try container.encode(problem.title, forKey: Key(stringValue: "title"))
        try container.encode(problem.status.code, forKey: Key(stringValue: "status"))
        try container.encodeIfPresent(problem.detail, forKey: Key(stringValue: "detail"))
        try container.encodeIfPresent(traceID, forKey: Key(stringValue: "trace_id"))
        if !problem.errors.isEmpty { try container.encode(problem.errors, forKey: Key(stringValue: "errors")) }
    }
}
