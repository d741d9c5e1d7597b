import Foundation
package import HTTPTypes
package import Hummingbird
package import HummingbirdTesting
package import NIOCore
import Synchronization
import Testing

/// A client of a service's port that records an issue for every request or answer that violates the document.
package final class DocumentedClient: TestClientProtocol {
    private let client: any TestClientProtocol
    private let document: OpenAPIDocument
    private let lenient: Set<String>
    private let used = Mutex<Set<String>>([])

    /// - Parameter lenient: operations, by id, whose request bodies are not checked, since they accept anything.
    package init(_ client: any TestClientProtocol, document: OpenAPIDocument, lenient: Set<String> = []) {
        self.client = client
        self.document = document
        self.lenient = lenient
    }

    package var port: Int? { client.port }

    /// The `operationId` of each operation that succeeded at least once.
    package var succeeded: Set<String> { used.withLock { $0 } }

    package func executeRequest(
        uri: String, method: HTTPRequest.Method, headers: HTTPFields, body: ByteBuffer?
    ) async throws -> TestResponse {
        let response = try await client.executeRequest(uri: uri, method: method, headers: headers, body: body)
        let operation = document.operation(method: method.rawValue, target: uri)
        let checked = operation.map { lenient.contains($0.id) } == true ? nil : body
        let exchange = OpenAPIDocument.Exchange(
            method: method.rawValue, target: uri, requestType: headers[.contentType],
            requestBody: Data(checked?.readableBytesView ?? ByteBufferView()), status: response.status.code,
            responseType: response.headers[.contentType], responseBody: Data(response.body.readableBytesView))
        for fault in document.faults(in: exchange) { Issue.record("\(fault)") }
        // A form's success is the page that the browser is sent to.
        if response.status.code < 400, let operation {
            used.withLock { _ = $0.insert(operation.id) }
        }
        return response
    }
}

extension Application {
    /// Runs requests against the application, and checks each request and answer against the OpenAPI document.
    ///
    /// - Parameter lenient: operations, by id, whose request bodies are not checked, since they accept anything.
    package func test<Value: Sendable>(
        documentedBy yaml: [UInt8], lenient: Set<String> = [],
        _ body: @escaping @Sendable (DocumentedClient) async throws -> Value
    ) async throws -> Value where Responder.Context: InitializableFromSource<ApplicationRequestContextSource> {
        let document = try OpenAPIDocument(yaml: yaml)
        return try await test(.router) { client in
            try await body(DocumentedClient(client, document: document, lenient: lenient))
        }
    }
}
