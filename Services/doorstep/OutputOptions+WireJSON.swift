import CommandOutput
import Foundation
import NIOHTTP1
import StackClient
import TimePresentation
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

    /// Prints the answer of `partners` to a request: its bytes, or the text of its body with times in the stores' zone.
    ///
    /// - Parameter command: shows whether a change without an answer was made; nil for a read.
    /// - Throws: `CommandFailure` where the service refuses or does not answer, and of kind unavailable where `text`
    ///   needs a body and the bytes encode none.
    func show<Answer: Decodable>(
        _ method: HTTPMethod, _ path: String, body: (some Encodable)?, shownBy command: String? = nil,
        text: (Answer) -> (StoreTimes) -> String
    ) async throws {
        let caller = PartnersCaller()
        // First: an answer may have a secret that is shown once, so nothing may fail behind it.
        let times = json ? nil : try await StoreTimes.ofStores(for: caller.holder)
        func exchange() async throws -> Data {
            try await caller.ask { try await $0.exchange(method, path, body: body).0 }
        }
        let data: Data
        if let command {
            data = try await CommandFailure.naming(command, change: exchange)
        } else {
            data = try await exchange()
        }
        guard let times else { return writeJSON(data) }
        let answer: Answer = try Self.body(in: data, of: .partners)
        writeLine(text(answer)(times))
    }

    /// Prints a value: one JSON object, or its text with times in the stores' zone.
    func show(
        _ value: some Encodable, for holder: TokenHolder, text: (StoreTimes) -> String
    ) async throws {
        guard !json else { return writeJSON(try WireJSON.encode(value)) }
        writeLine(text(try await .ofStores(for: holder)))
    }

    /// Prints values: one JSON object a line, or their table with times in the stores' zone, which it names.
    ///
    /// - Parameter more: the options that continue where these values end, which the table has too; with JSON they are
    ///   on standard error.
    func show(
        _ values: [some Encodable], for holder: TokenHolder, more: [String] = [], table: (StoreTimes) -> Table
    ) async throws {
        guard !json else {
            for value in values { writeJSON(try WireJSON.encode(value)) }
            for options in more { CommandFailure.complain("there is more: \(options)".safeOnTerminal) }
            return
        }
        let times = try await StoreTimes.ofStores(for: holder)
        writeLine(table(times).text + (values.isEmpty ? "" : "\n\ntimes are \(times.zoneName)"))
    }

    static func body<Body: Decodable>(in answer: Data, of peer: Peer) throws(CommandFailure) -> Body {
        do {
            return try WireJSON.decode(Body.self, from: answer)
        } catch {
            throw CommandFailure(
                .unavailable, "\(peer.rawValue) gave an answer that cannot be read (\(error))", mayBeDone: true)
        }
    }
}
