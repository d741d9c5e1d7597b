package import DoorstepAPI
package import Foundation
internal import HTTPTypes
package import Hummingbird
internal import NIOCore
internal import WireCoding

/// The default limit of a request body, in bytes; a route or the configuration may set another.
package let bodyBytesMaxStandard = 256 * 1024

extension Request {
    /// The body from JSON.
    ///
    /// - Throws: ``Problem``: 400 that names the place that is wrong, or 413.
    package func decode<Value: Decodable & Sendable>(as type: Value.Type = Value.self) async throws -> Value {
        try await Self.decode(type, from: try await bytes())
    }

    /// The body from JSON, when nothing at all is wrong with its form.
    ///
    /// - Throws: ``Problem``: 400 that names every place that is wrong, or 413.
    package func decode<Body: StrictBody>(as type: Body.Type = Body.self) async throws -> Body {
        try await decode(as: type) { _, _ in }
    }

    /// - Parameter check: further checks of a well-formed body.
    /// - Throws: ``Problem``: 400 for an invalid body, or as ``bytes(maxBytes:arrived:)``.
    package func decode<Body: StrictBody>(
        as type: Body.Type = Body.self, check: @escaping @Sendable (Body, inout BodyCheck) -> Void
    ) async throws -> Body {
        try await Self.decode(type, from: try await bytes(), check: check)
    }

    /// A body that was read before, for routes that also need its bytes.
    ///
    /// - Throws: ``Problem``: 400 that names the place that is wrong.
    package static func decode<Value: Decodable & Sendable>(
        _ type: Value.Type, from data: Data
    ) async throws -> Value {
        try await decodingThreads.run(bytes: data.count) {
            try checkSize(of: data)
            try checkForm(of: data)
            do {
                return try WireJSON.decode(type, from: data)
            } catch {
                throw firstFault(type, in: data)
            }
        }
    }

    /// Decodes a body without further checks.
    ///
    /// - Throws: ``Problem``: 400 with every faulty property.
    package static func decode<Body: StrictBody>(_ type: Body.Type, from data: Data) async throws -> Body {
        try await decode(type, from: data) { _, _ in }
    }

    /// - Parameter check: further checks of a well-formed body.
    /// - Throws: ``Problem`` 400 with every fault of the body.
    package static func decode<Body: StrictBody>(
        _ type: Body.Type, from data: Data, check: @escaping @Sendable (Body, inout BodyCheck) -> Void
    ) async throws -> Body {
        try await decodingThreads.run(bytes: data.count) {
            try checkSize(of: data)
            var found = BodyCheck(faultyParts: [], unknownProperties: [])
            let body: Body
            if let whole = WireJSON.decodeWhole(type, from: data) {
                body = whole
            } else {
                try checkForm(of: data)
                let (decoded, faults) = try strictlyDecoded(type, from: data)
                found = BodyCheck(faultyParts: faults.faultyParts, unknownProperties: faults.unknownProperties)
                body = decoded
            }
            check(body, &found)
            guard found.errors.isEmpty else { throw Problem.malformed(found.errors) }
            return body
        }
    }

    /// A body with its faults, in which each faulty part is that of the type's example.
    private static func strictlyDecoded<Body: StrictBody>(
        _ type: Body.Type, from data: Data
    ) throws -> (Body, BodyFaults) {
        let faults = BodyFaults(standIns: StandIns(Body.example))
        do {
            return (try located(type, in: data, faults: faults), faults)
        } catch {
            let last = problem(of: error, decoding: type)
            let errors = (faults.faultyParts + last.errors).prefix(BodyFaults.faultsMax)
            throw faults.faultyParts.isEmpty ? last : Problem.malformed(Array(errors))
        }
    }

    /// The first fault of data that could not be decoded.
    private static func firstFault<Value: Decodable>(_ type: Value.Type, in data: Data) -> Problem {
        do {
            _ = try located(type, in: data, faults: BodyFaults(standIns: nil))
            // Both decoders accept the same data, so this line is unreachable.
            return .malformed("", "cannot be decoded")
        } catch {
            return problem(of: error, decoding: type)
        }
    }

    private static func located<Value: Decodable>(
        _ type: Value.Type, in data: Data, faults: BodyFaults
    ) throws -> Value {
        try WireJSON.decode(Located<Value>.self, from: data, userInfo: [BodyFaults.userInfoKey: faults]).value
    }

    private static func problem(of error: any Error, decoding type: any Any.Type) -> Problem {
        if let problem = error as? Problem { return problem }
        if let error = error as? FaultyPart { return .malformed([error.fault]) }
        if let error = error as? DecodingError, isRefusal(error) {
            return .malformed([Problem.FieldError(path: "", message: "is not JSON")])
        }
        return .malformed([fieldError(of: error, decoding: type, at: [])])
    }

    private static func checkSize(of data: Data) throws {
        guard !data.isEmpty else { throw Problem.malformed([.init(path: "", message: "is empty")]) }
        guard !isNested(deeperThan: bodyDepthMax, data) else {
            throw Problem.malformed([.init(path: "", message: "is nested deeper than \(bodyDepthMax) levels")])
        }
    }

    private static func checkForm(of data: Data) throws {
        if let fault = WireJSON.formFault(in: data) { throw Problem.malformed("", "is not JSON: \(fault)") }
    }

    /// The whole body.
    ///
    /// - Parameter arrived: receives the byte count of each part before the part is kept and more is read; its errors
    ///   are rethrown.
    /// - Throws: ``Problem``: 413 when the body exceeds `maxBytes`, 408 when it arrives too slowly, 499 when the caller
    ///   closed the connection before the end.
    package func bytes(
        maxBytes: Int = bodyBytesMaxStandard, arrived: (Int) async throws -> Void = { _ in }
    ) async throws -> Data {
        do {
            try checkLength(bytesMax: maxBytes)
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

    /// Refuses a body by its announced length before any of it is read.
    ///
    /// - Throws: ``Problem``: 413.
    func checkLength(bytesMax: Int) throws {
        guard let text = headers[.contentLength], let bytes = Int(text), bytes > bytesMax else { return }
        throw Problem.tooLarge(bytesMax: bytesMax)
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

/// Whether an error means that the data as a whole is not JSON.
private func isRefusal(_ error: DecodingError) -> Bool {
    guard case .dataCorrupted(let context) = error else { return false }
    return context.codingPath.isEmpty && context.debugDescription.hasPrefix("The given data was not valid JSON")
}
