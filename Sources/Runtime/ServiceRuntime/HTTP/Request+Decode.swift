package import Foundation
internal import HTTPTypes
package import Hummingbird
internal import NIOCore
internal import WireCoding

/// The bytes of a request body that are taken unless a route or the configuration says otherwise.
package let bodyBytesMaxStandard = 256 * 1024

extension Request {
    /// The body from JSON.
    ///
    /// - Throws: ``Problem``: 400 that names the place that is wrong, or 413.
    package func decode<Value: Decodable & Sendable>(
        as type: Value.Type = Value.self, maxBytes: Int = bodyBytesMaxStandard
    ) async throws -> Value {
        try await Self.decode(type, from: try await bytes(maxBytes: maxBytes))
    }

    /// A body that was read before, for routes that also need its bytes.
    ///
    /// - Throws: ``Problem``: 400 that names the place that is wrong.
    package static func decode<Value: Decodable & Sendable>(
        _ type: Value.Type, from data: Data
    ) async throws -> Value {
        try await decodingThreads.run(bytes: data.count) { try decoded(type, from: data) }
    }

    private static func decoded<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
        guard !data.isEmpty else {
            throw Problem.malformed("the body is empty", errors: [.init(path: "", message: "is empty")])
        }
        guard !isNested(deeperThan: bodyDepthMax, data) else {
            let field = Problem.FieldError(path: "", message: "is nested deeper than \(bodyDepthMax) levels")
            throw Problem.malformed(field.description, errors: [field])
        }
        do {
            return try WireJSON.decode(type, from: data)
        } catch let error as DecodingError {
            if isRefusal(error), let field = numberFault(type, in: data) {
                throw Problem.malformed(field.description, errors: [field])
            }
            throw Problem(error)
        } catch let problem as Problem {
            throw problem
        } catch {
            // Only the values' own initializers throw here, and they speak about what the caller sent.
            throw Problem.malformed(
                String(describing: error), errors: [.init(path: "", message: String(describing: error))])
        }
    }

    /// The whole body.
    ///
    /// - Parameter arrived: told how many bytes each part of it has, before they are kept and more is read; what it throws is thrown on.
    /// - Throws: ``Problem``: 413 when it exceeds `maxBytes`, 408 when it takes longer than its time, 499 when the caller
    ///   went away before it was whole.
    package func bytes(
        maxBytes: Int = bodyBytesMaxStandard, arrived: (Int) async throws -> Void = { _ in }
    ) async throws -> Data {
        do {
            var data = Data()
            for try await part in body {
                guard data.count + part.readableBytes <= maxBytes else { throw Problem.tooLarge(bytesMax: maxBytes) }
                try await arrived(part.readableBytes)
                data.append(contentsOf: part.readableBytesView)
            }
            return data
        } catch let problem as Problem {
            throw problem
        } catch is BodyTimedOut {
            throw Problem.bodyTimedOut()
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            throw Problem.callerGone()
        }
    }

    /// The `Idempotency-Key` header: 1 to 255 visible ASCII characters.
    ///
    /// - Throws: ``Problem``: 400 when it is missing or not that.
    package func idempotencyKey() throws -> String {
        guard let key = headers[.idempotencyKey] else { throw Problem.idempotencyKeyMissing() }
        guard (1...255).contains(key.utf8.count), key.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw Problem.malformed("header Idempotency-Key", "is not 1 to 255 visible ASCII characters")
        }
        return key
    }
}

extension HTTPField.Name {
    static let idempotencyKey = HTTPField.Name("Idempotency-Key")!
}
