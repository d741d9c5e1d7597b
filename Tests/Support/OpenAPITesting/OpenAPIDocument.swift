package import Foundation
import Synchronization

/// An OpenAPI document, against which requests and answers are validated.
package struct OpenAPIDocument: Sendable {
    /// A request with its answer.
    package struct Exchange: Sendable {
        package var method: String
        /// The path with its query.
        package var target: String
        package var requestType: String?
        package var requestBody: Data
        package var status: Int
        package var responseType: String?
        package var responseBody: Data

        package init(
            method: String, target: String, requestType: String?, requestBody: Data, status: Int,
            responseType: String?, responseBody: Data
        ) {
            self.method = method
            self.target = target
            self.requestType = requestType
            self.requestBody = requestBody
            self.status = status
            self.responseType = responseType
            self.responseBody = responseBody
        }
    }

    /// One method of one path.
    package struct Operation: Sendable {
        package let name: String
        package let id: String
        let segments: [Substring]
        let content: JSONValue
    }

    package let root: JSONValue
    package let checker: SchemaChecker
    /// The operations by name, so that iterations have a constant order.
    package let operations: [Operation]

    /// The documents that this process has read: hundreds of tests use the same five, and parsing one without
    /// optimisation lasts longer than most of these tests.
    private static let read = Mutex<[[UInt8]: OpenAPIDocument]>([:])

    package init(yaml bytes: some Sequence<UInt8>) throws {
        let bytes = Array(bytes)
        self = try Self.read.withLock { read in
            if let document = read[bytes] { return document }
            let document = try OpenAPIDocument(reading: bytes)
            read[bytes] = document
            return document
        }
    }

    private init(reading bytes: [UInt8]) throws {
        root = try JSONValue(yaml: String(decoding: bytes, as: UTF8.self))
        checker = SchemaChecker(document: root)
        let methods: Set = ["options", "get", "put", "post", "delete", "patch"]
        operations = (root["paths"] ?? .null).members.flatMap { path, item in
            item.members.filter { methods.contains($0.key) }.map { method, content in
                Operation(
                    name: "\(method.uppercased()) \(path)", id: content["operationId"]?.string ?? "",
                    segments: path.split(separator: "/"), content: content)
            }
        }
        .sorted { $0.name < $1.name }
    }

    /// Every operation as `GET /v1/orders/{id}`, sorted, for the comparison with a router's routes.
    package var routes: [String] { operations.map(\.name) }

    /// The schemas that have names.
    package var schemas: [String: JSONValue] { root["components"]?["schemas"]?.members ?? [:] }

    /// The operation of a request; nil when the document has none.
    package func operation(method: String, target: String) -> Operation? {
        let segments = target.prefix { $0 != "?" }.split(separator: "/")
        let matching = operations.filter { operation in
            operation.name.hasPrefix("\(method == "HEAD" ? "GET" : method) ")
                && operation.segments.count == segments.count
                && zip(operation.segments, segments).allSatisfy { $0 == $1 || $0.hasPrefix("{") }
        }
        // `/doorstep.properties` itself before a variable `{name}`.
        return matching.min { $0.variables < $1.variables }
    }

    /// The routes whose query parameters differ from the document's, and those that refuse some and document no 400.
    ///
    /// - Parameter read: the parameters that a route reads, by method and path; nil where it accepts any.
    package func queryFaults(_ read: (_ method: String, _ path: String) -> Set<String>?) -> [String] {
        operations.compactMap { operation in
            let words = operation.name.split(separator: " ").map(String.init)
            guard let names = read(words[0], words[1]) else { return nil }
            let documented = queryParameters(of: operation)
            guard names == Set(documented) else {
                return "\(operation.name) reads \(names.sorted()) and documents \(documented.sorted())"
            }
            return operation.content["responses"]?["400"] == nil ? "\(operation.name) documents no 400" : nil
        }
    }

    /// The query parameters of an operation and of its path.
    func queryParameters(of operation: Operation) -> [String] {
        let path = operation.name.split(separator: " ").last.flatMap { root["paths"]?[String($0)] }
        let parameters = (path?["parameters"]?.elements ?? []) + (operation.content["parameters"]?.elements ?? [])
        return parameters.map { deref($0) }.filter { $0["in"]?.string == "query" }.compactMap { $0["name"]?.string }
    }

    /// The violations of the document; empty without any, or without such a route.
    package func faults(in exchange: Exchange) -> [String] {
        guard let operation = operation(method: exchange.method, target: exchange.target) else {
            let isAbsent = exchange.status == 404 || exchange.status == 405
            return isAbsent
                ? [] : ["\(exchange.method) \(exchange.target) answers \(exchange.status), and is not there"]
        }
        let faults = requestFaults(exchange, operation) + responseFaults(exchange, operation)
        return faults.map { "\(operation.name) (\(exchange.status)): \($0)" }
    }

    /// The faults of an accepted request's body; a refused body may be anything.
    private func requestFaults(_ exchange: Exchange, _ operation: Operation) -> [String] {
        guard (200..<300).contains(exchange.status), !exchange.requestBody.isEmpty else { return [] }
        let content = deref(operation.content["requestBody"])["content"]?.members ?? [:]
        guard !content.isEmpty else { return ["has a request body, which the document lacks"] }
        let type = mediaType(exchange.requestType) ?? "application/json"
        guard type == "application/json", let schema = content[type]?["schema"] else { return [] }
        return faults(json: exchange.requestBody, schema, at: "request")
    }

    private func responseFaults(_ exchange: Exchange, _ operation: Operation) -> [String] {
        guard let response = operation.content["responses"]?["\(exchange.status)"] else {
            return ["the document lacks this status: \(String(decoding: exchange.responseBody, as: UTF8.self))"]
        }
        guard exchange.method != "HEAD" else { return [] }
        let content = deref(response)["content"]?.members ?? [:]
        if exchange.status == 204 { return exchange.responseBody.isEmpty ? [] : ["answers 204 with a body"] }
        let type = mediaType(exchange.responseType) ?? "none"
        guard let media = content[type], let schema = media["schema"] else {
            return ["answers with the content type \(type), which the document lacks"]
        }
        switch type {
        case "application/json", "application/problem+json":
            return faults(json: exchange.responseBody, schema, at: "response")
        case "text/event-stream":
            guard let data = media["x-event-data"] else { return [] }
            return events(exchange.responseBody).flatMap { faults(json: $0, data, at: "event") }
        case "application/yaml":
            let value = try? JSONValue(yaml: String(decoding: exchange.responseBody, as: UTF8.self))
            return checker.faults(in: value ?? .null, against: schema, at: "response")
        default:
            return checker.faults(
                in: .string(String(decoding: exchange.responseBody, as: UTF8.self)), against: schema, at: "response")
        }
    }

    private func faults(json: Data, _ schema: JSONValue, at place: String) -> [String] {
        guard let value = try? JSONDecoder().decode(JSONValue.self, from: json) else {
            return ["\(place) is not JSON: \(String(decoding: json, as: UTF8.self))"]
        }
        return checker.faults(in: value, against: schema, at: place)
    }

    /// The data of each event of a stream.
    private func events(_ body: Data) -> [Data] {
        String(decoding: body, as: UTF8.self).split(separator: "\n").filter { $0.hasPrefix("data: ") }
            .map { Data($0.dropFirst(6).utf8) }
    }

    private func deref(_ value: JSONValue?) -> JSONValue {
        guard let value, let reference = value["$ref"] else { return value ?? .null }
        return checker.resolve(reference)
    }

    /// Without parameters such as the character set.
    private func mediaType(_ header: String?) -> String? {
        header?.prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces).lowercased()
    }
}

extension OpenAPIDocument.Operation {
    /// The number of variable segments of its path.
    fileprivate var variables: Int { segments.count { $0.hasPrefix("{") } }
}
