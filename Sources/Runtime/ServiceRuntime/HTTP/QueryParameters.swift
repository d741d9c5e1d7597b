internal import HTTPTypes
internal import Hummingbird

/// The query parameters that a service's routes read, as the service declares them beside its routes.
///
/// A request with another parameter, or with one more than once, is refused, since its sender means something by it: a
/// filter that is ignored answers with everything. Open routes accept any parameter: foreign programs complete their
/// addresses, such as browsers, providers, tracker apps and probes.
package struct QueryParameters: Sendable {
    /// The routes that every service has and that probes call.
    private static let standardOpen = ["/health/live", "/health/ready", "/metrics", "/openapi.yaml"]

    private var names: [String: Set<String>]
    private let open: [String]

    /// - Parameters:
    ///   - names: by route, such as `GET /v1/orders`; a route without an entry that is not open reads none.
    ///   - open: the paths whose routes, and all routes below them, accept any parameter; `/` for all routes without
    ///     an entry.
    package init(_ names: [String: Set<String>] = [:], open: [String] = []) {
        self.names = names
        self.open = open + Self.standardOpen
    }

    /// The same parameters and those of a group of routes that several services have.
    package func adding(_ others: [String: Set<String>]) -> QueryParameters {
        var sum = self
        sum.names.merge(others) { $0.union($1) }
        return sum
    }

    /// The parameters that a route reads; nil where it accepts any.
    ///
    /// - Parameters:
    ///   - method: as in the request; `HEAD` reads what `GET` does.
    ///   - path: as it was registered: `/v1/orders/{id}`.
    package func names(of method: String, _ path: String) -> Set<String>? {
        if let declared = names["\(method == "HEAD" ? "GET" : method) \(path)"] { return declared }
        let isOpen = open.contains { $0 == "/" || path == $0 || path.hasPrefix($0 + "/") }
        return isOpen ? nil : []
    }
}

/// Answers 400 to a request with a query parameter that its route does not read, or that is there more than once, before
/// the route runs.
struct QueryParametersMiddleware: RouterMiddleware {
    let parameters: QueryParameters

    func handle(
        _ request: Request, context: AppContext, next: (Request, AppContext) async throws -> Response
    ) async throws -> Response {
        if request.uri.query != nil, let path = context.endpointPath,
            let names = parameters.names(of: request.method.rawValue, path)
        {
            try Self.check(request, against: names)
        }
        return try await next(request, context)
    }

    private static func check(_ request: Request, against names: Set<String>) throws {
        let given = request.uri.queryParameters.map { String($0.key) }.filter { !$0.isEmpty }
        let counts = Dictionary(given.map { ($0, 1) }, uniquingKeysWith: +)
        let faulty = counts.filter { $0.value > 1 || !names.contains($0.key) }.keys.sorted()
        guard faulty.isEmpty else {
            throw Problem.malformed(
                faulty.prefix(BodyFaults.faultsMax).map { name in
                    let isKnown = names.contains(name)
                    return Problem.FieldError(
                        path: "query \(name)",
                        message: isKnown ? "is there more than once" : "is not a known parameter",
                        allowed: isKnown || names.isEmpty ? nil : names.sorted())
                })
        }
    }
}
