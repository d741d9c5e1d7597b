package import Hummingbird

extension Request {
    /// The body as a form.
    ///
    /// - Parameter bytesMax: a longer body is refused with 413.
    /// - Throws: as ``bytes(maxBytes:arrived:)``.
    package func formValues(bytesMax: Int = 4_096) async throws -> FormValues {
        FormValues(String(decoding: try await bytes(maxBytes: bytesMax), as: UTF8.self), pairsMax: .max)
    }
}
