import CommandOutput
import Foundation
import StackClient
import WireCoding

extension OutputOptions {
    /// Prints the answer of a service: its bytes, or the text of the body that they encode.
    ///
    /// - Throws: `CommandFailure` of kind unavailable where `text` needs a body and the bytes encode none.
    func show<Body: Decodable>(
        _ answer: Data, of peer: Peer, text: (Body) async throws -> String
    ) async throws {
        try await show(json: answer, text: await text(Self.body(in: answer, of: peer)))
    }

    /// Prints a value: one JSON object, or its text.
    func show(_ value: some Encodable, text: @autoclosure () -> String) throws {
        if json { writeJSON(try WireJSON.encode(value)) } else { writeLine(text()) }
    }

    /// Prints values: one JSON object a line, or their table.
    func show(_ values: [some Encodable], table: @autoclosure () -> Table) throws {
        guard json else { return writeLine(table().text) }
        for value in values { writeJSON(try WireJSON.encode(value)) }
    }

    private static func body<Body: Decodable>(in answer: Data, of peer: Peer) throws(CommandFailure) -> Body {
        do {
            return try WireJSON.decode(Body.self, from: answer)
        } catch {
            throw CommandFailure(.unavailable, "\(peer.rawValue) gave an answer that cannot be read (\(error))")
        }
    }
}
