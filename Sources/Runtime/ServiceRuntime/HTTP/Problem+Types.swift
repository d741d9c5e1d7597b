internal import HTTPTypes

// The types of problem. A slug, once published, keeps its meaning.
extension Problem {
    /// 400: the request's content is invalid; `errors` names the properties.
    package static func malformed(_ detail: String? = nil, errors: [FieldError] = []) -> Problem {
        Problem(.badRequest, "malformed", title: "The request is malformed", detail: detail, errors: errors)
    }

    /// 400: one field, header or parameter is wrong.
    ///
    /// - Parameter allowed: the values that it may have, where they are few.
    package static func malformed(_ path: String, _ message: String, allowed: [String]? = nil) -> Problem {
        .malformed([FieldError(path: path, message: message, allowed: allowed)])
    }

    /// 400: these places are wrong, of which there is at least one.
    package static func malformed(_ errors: [FieldError]) -> Problem {
        let detail = errors.count == 1 ? errors.first?.description : "\(errors.count) places are wrong"
        return .malformed(detail, errors: errors)
    }

    /// 400: a request that must not be carried out twice came without its key.
    package static func idempotencyKeyMissing() -> Problem {
        Problem(
            .badRequest, "idempotency-key-missing", title: "An Idempotency-Key header is required",
            detail: "send 1 to 255 visible ASCII characters, the same ones when you send the request again",
            errors: [FieldError(path: "header Idempotency-Key", message: "is missing")])
    }

    /// 401: no token, or one that is not good.
    package static func unauthenticated(_ error: TokenError? = nil) -> Problem {
        var challenge = "Bearer realm=\"doorstep\""
        if let error { challenge += ", error=\"invalid_token\", error_description=\"\(error)\"" }
        return Problem(
            .unauthorized, "unauthenticated", title: "A valid token is required",
            detail: error.map(\.description) ?? "send one as Authorization: Bearer …",
            headers: [.wwwAuthenticate: challenge])
    }

    /// 404: the object does not exist, or is not the caller's; callers cannot distinguish the two.
    package static func notFound(_ what: String? = nil) -> Problem {
        Problem(.notFound, "not-found", title: "There is no such thing here", detail: what)
    }

    /// 405: the path exists, the method does not.
    package static func methodNotAllowed(allowed: [String]) -> Problem {
        Problem(
            .methodNotAllowed, "method-not-allowed", title: "This path has no such method",
            extra: ["allowed": allowed], headers: [.allow: allowed.joined(separator: ", ")])
    }

    /// 408: the body did not arrive whole in its time.
    package static func bodyTimedOut() -> Problem {
        Problem(.requestTimeout, "body-timed-out", title: "The request body took too long")
    }

    /// 499: the caller closed the connection before its request was complete; the status is for metrics alone.
    package static func callerGone() -> Problem {
        Problem(
            .init(code: 499, reasonPhrase: "Client Closed Request"), "caller-gone", title: "The caller went away")
    }

    /// 409: the request conflicts with the present state.
    package static func conflict(
        _ detail: String, slug: String = "conflict", extra: [String: any Encodable & Sendable] = [:]
    ) -> Problem {
        Problem(.conflict, slug, title: "The request conflicts with what is there", detail: detail, extra: extra)
    }

    /// 409: the first request with this key has not been answered yet.
    package static func idempotencyKeyInUse() -> Problem {
        var problem = conflict(
            "a request with this Idempotency-Key is being carried out", slug: "idempotency-key-in-use")
        problem.retryAfter = 1
        return problem
    }

    /// 412: `If-Match` names another version than the current one.
    package static func stale(current version: Int) -> Problem {
        Problem(
            .preconditionFailed, "stale", title: "The thing has changed since you read it",
            detail: "it is at version \(version) now", extra: ["version": version],
            headers: [.eTag: entityTag(version: version)])
    }

    /// 428: `If-Match` must be sent and was not.
    package static func ifMatchMissing() -> Problem {
        Problem(
            .preconditionRequired, "if-match-missing", title: "An If-Match header is required",
            detail: "read the thing, then send its ETag as If-Match",
            errors: [FieldError(path: "header If-Match", message: "is missing")])
    }

    /// 413: the body exceeds the limit.
    package static func tooLarge(bytesMax: Int) -> Problem {
        Problem(
            .contentTooLarge, "too-large", title: "The request body is too large",
            detail: "at most \(bytesMax) bytes are taken", extra: ["bytes_max": bytesMax])
    }

    /// 422: the present status does not allow the change; `allowed` names the legal ones.
    package static func impossibleTransition(
        _ detail: String, allowed: [String], errors: [FieldError] = []
    ) -> Problem {
        Problem(
            .unprocessableContent, "impossible-transition", title: "The status cannot change so",
            detail: detail, errors: errors, extra: ["allowed": allowed])
    }

    /// 422: well-formed, but not something that can be done.
    package static func unprocessable(
        _ detail: String, slug: String = "unprocessable", errors: [FieldError] = []
    ) -> Problem {
        Problem(
            .unprocessableContent, slug, title: "The request cannot be carried out", detail: detail, errors: errors)
    }

    /// 422: the key was used before with another body.
    package static func idempotencyKeyReused() -> Problem {
        Problem(
            .unprocessableContent, "idempotency-key-reused",
            title: "The Idempotency-Key was used for another request",
            detail: "a key stands for one request and one body; make a new one")
    }

    /// 429: this caller sends more than its share.
    package static func tooManyRequests(retryAfterSeconds: Int) -> Problem {
        var problem = Problem(.tooManyRequests, "too-many-requests", title: "Too many requests from this caller")
        problem.retryAfter = retryAfterSeconds
        return problem
    }

    /// 429: `pages_max` pages are open: of the delivery, of its readers who have not given the order's number where
    /// this one has not, or of the session at the desk.
    package static func tooManyPages(max: Int, remedy: String = "close one") -> Problem {
        var problem = Problem(
            .tooManyRequests, "too-many-pages", title: "As many pages are open as may be",
            detail: "\(max) pages are open; \(remedy)", extra: ["pages_max": max])
        problem.retryAfter = 30
        return problem
    }

    /// 503: this process, or a dependency of it, is overloaded or unavailable.
    package static func unavailable(_ detail: String, retryAfterSeconds: Int) -> Problem {
        var problem = Problem(
            .serviceUnavailable, "unavailable", title: "The service cannot answer right now", detail: detail)
        problem.retryAfter = retryAfterSeconds
        return problem
    }

    /// 500: our fault; the log has the rest under the same trace id.
    package static func internalError() -> Problem {
        Problem(.internalServerError, "internal", title: "Something went wrong on our side")
    }
}
