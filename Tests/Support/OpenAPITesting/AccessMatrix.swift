package import HTTPTypes
package import HummingbirdTesting
internal import NIOCore

/// The answers of every operation to every kind of caller: a table that a test compares with the reviewed one.
package struct AccessMatrix {
    /// A request without its caller.
    package struct Request {
        package var method: HTTPRequest.Method
        package var path: String
        package var body: String
        package var headers: HTTPFields

        package init(
            _ method: HTTPRequest.Method, _ path: String, _ body: String = "", headers: HTTPFields = [:]
        ) {
            self.method = method
            self.path = path
            self.body = body
            self.headers = headers
        }

        /// The request of an operation that every service with an outbox has; nil for any other operation.
        ///
        /// - Parameter id: of the dead letter that it is about.
        package init?(ofEveryService operation: String, deadLetter id: String) {
            let letter = "/v1/admin/dead-letters/\(id)"
            switch operation {
            case "getLiveness": self.init(.get, "/health/live")
            case "getReadiness": self.init(.get, "/health/ready")
            case "getMetrics": self.init(.get, "/metrics")
            case "getOpenAPIDocument": self.init(.get, "/openapi.yaml")
            case "listDeadLetters": self.init(.get, "/v1/admin/dead-letters")
            case "listPersonalReads": self.init(.get, "/v1/personal-reads")
            case "getDeadLetter": self.init(.get, letter)
            case "retryDeadLetter": self.init(.post, "\(letter)/retry")
            case "dropDeadLetter": self.init(.post, "\(letter)/drop", #"{"reason":"a test"}"#)
            default: return nil
            }
        }
    }

    /// A kind of caller: a name, after `@` the only store of the token, after `#` its only delivery, after `:` its scope.
    package struct Caller {
        package let name: String
        package let store: String?
        package let delivery: String?
        package let scope: String?

        /// - Parameter text: `nobody` is nil, a caller without a token.
        package init?(_ text: String) {
            guard text != "nobody" else { return nil }
            func part(after mark: Character) -> String? {
                text.split(separator: mark).dropFirst().first.map(String.init)
            }
            name = String(text.prefix { !"@#:".contains($0) })
            store = part(after: "@")
            delivery = part(after: "#")
            scope = part(after: ":")
        }
    }

    private let callers: [String]
    private let outcome: (_ operation: String, TestResponse) -> String
    private var rows: [(operation: String, statuses: [String])] = []
    /// Whether the last request may have changed what the next one finds: a refused one changes nothing, nor a read.
    private var isChanged = false

    /// - Parameters:
    ///   - callers: one a column, from the left.
    ///   - outcome: a cell, four characters at most; by default the status.
    package init(
        callers: [String],
        outcome: @escaping (_ operation: String, TestResponse) -> String = { "\($1.status.code)" }
    ) {
        self.callers = callers
        self.outcome = outcome
    }

    /// The operations that have a row.
    package var operations: Set<String> { Set(rows.map(\.operation)) }

    /// Adds a row: the status of one request for each caller.
    ///
    /// - Parameter request: gives a caller's request. `isChanged` is whether the request before it, also one of another
    ///   row, was accepted and was no read: what it was about has to be made again.
    package mutating func add(
        _ operation: String, _ client: any TestClientProtocol,
        request: (_ caller: String, _ isChanged: Bool) async throws -> (Request, authorization: String?)
    ) async throws {
        var statuses: [String] = []
        for caller in callers {
            let (request, authorization) = try await request(caller, isChanged)
            var headers = request.headers
            headers[.contentType] = "application/json"
            if let authorization { headers[.authorization] = authorization }
            let response = try await client.execute(
                uri: request.path, method: request.method, headers: headers,
                body: request.body.isEmpty ? nil : ByteBuffer(string: request.body))
            statuses.append(outcome(operation, response))
            isChanged = response.status.code < 400 && ![.get, .head].contains(request.method)
        }
        rows.append((operation, statuses))
    }

    /// The operations that refuse an operator for a narrow scope, and whose description does not name the scope.
    ///
    /// A description names it as `operator (dispatcher)` or `operator (supervisor)`. The callers have `operator`,
    /// `operator:viewer` and `operator:dispatcher`.
    package func undocumentedScopes(in document: OpenAPIDocument) -> [String] {
        let descriptions = Dictionary(
            document.operations.map { ($0.id, $0.content["description"]?.string ?? "") },
            uniquingKeysWith: { one, _ in one })
        return rows.compactMap { row in
            let status = Dictionary(zip(callers, row.statuses), uniquingKeysWith: { one, _ in one })
            guard status["operator"] != "403", status["operator:viewer"] == "403" else { return nil }
            let needed = status["operator:dispatcher"] == "403" ? "operator (supervisor)" : "operator (dispatcher)"
            return descriptions[row.operation]?.contains(needed) == true ? nil : "\(row.operation): \(needed)"
        }
    }

    /// The rows in the order of their operations, a line each, below the callers with their columns.
    package var text: String {
        let legend = callers.enumerated().map { "\($0 + 1) \($1)" }
        let table = [("", callers.indices.map { "\($0 + 1)" })] + rows.sorted { $0.operation < $1.operation }
        let first = rows.map(\.operation.count).max() ?? 0
        let lines = table.map { operation, cells in
            operation.padding(to: first) + cells.map { String(repeating: " ", count: 5 - $0.count) + $0 }.joined()
        }
        return (legend + lines).joined(separator: "\n")
    }
}

extension String {
    fileprivate func padding(to width: Int) -> String {
        self + String(repeating: " ", count: max(0, width - count))
    }
}
