package import APIClient
package import CommandOutput
package import Foundation
package import NIOCore
package import NIOHTTP1
internal import WireCoding

extension APIClient {
    /// Sends a request once, without retries, and fails as a command does.
    ///
    /// - Throws: `CommandFailure` of kind unavailable when there is no answer.
    package func send(
        _ method: HTTPMethod, _ url: String, token: String?, json: Data? = nil, headers: [String: String] = [:],
        timeout: TimeAmount = answerTimeout
    ) async throws -> Answer {
        do {
            return try await exchange(
                method, url, token: token, json: json, headers: HTTPHeaders(headers.map { ($0.key, $0.value) }),
                timeout: timeout)
        } catch let cancellation as CancellationError {
            throw cancellation
        } catch {
            throw CommandFailure.noAnswer(from: url, error)
        }
    }
}

extension APIClient.Answer {
    /// The service's refusal, from its problem document; nil for a success.
    package var refusal: CommandFailure? {
        CommandFailure.kind(ofStatus: status).map {
            CommandFailure($0, sentence.safeOnTerminal, mayBeDone: status >= 500)
        }
    }

    /// - Throws: the refusal, or that the answer cannot be read.
    package func decode<Body: Decodable>(_ type: Body.Type) throws -> Body {
        if let refusal { throw refusal }
        do {
            return try WireJSON.decode(type, from: body)
        } catch {
            throw CommandFailure(
                .unavailable, "The service answered in a way that this version cannot read.", mayBeDone: true)
        }
    }

    private var sentence: String {
        guard !(300..<400).contains(status) else { return redirectSentence }
        guard let problem, let title = problem.title else { return "the service answered \(status)" }
        // A problem with one faulty property repeats its message in the detail.
        let places = problem.errors ?? []
        let detail = problem.detail.flatMap { detail in
            places.contains { detail.hasPrefix("\($0.path) \($0.message)") } ? nil : detail
        }
        return ([title, detail].compactMap(\.self) + places.map(\.text)).joined(separator: "; ")
    }

    /// The redirect with its address's host alone, since the path may have a secret.
    private var redirectSentence: String {
        let host = headers.first(name: "Location").flatMap { URLComponents(string: $0)?.host }
        let place = host ?? "another path of the same address"
        return "the service answered \(status), a redirect to \(place), which no command follows: is the address right?"
    }
}

extension ProblemDocument.Place {
    fileprivate var text: String {
        "\(path) \(message)\(allowed.map { ": " + $0.joined(separator: ", ") } ?? "")"
    }
}
