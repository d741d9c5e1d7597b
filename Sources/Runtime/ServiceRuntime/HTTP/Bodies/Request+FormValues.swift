package import Hummingbird
internal import NIOCore

extension Request {
    /// The body as a form.
    ///
    /// - Parameter bytesMax: a longer body is refused with 413.
    /// - Throws: ``Problem`` 413 where the body exceeds `bytesMax`.
    package func formValues(bytesMax: Int = 4_096) async throws -> FormValues {
        try checkLength(bytesMax: bytesMax)
        let body = try await body.collect(upTo: bytesMax)
        return FormValues(String(buffer: body), pairsMax: .max)
    }
}
