internal import Foundation
internal import WireCoding

/// A problem document (RFC 9457) as one sentence.
struct ProblemText {
    let sentence: String

    private struct Document: Decodable {
        let title: String?
        let detail: String?
        let allowed: [String]?
        let errors: [Place]?

        struct Place: Decodable {
            let path: String
            let message: String
        }
    }

    init(_ data: Data, status: Int) {
        guard let document = try? WireJSON.decode(Document.self, from: data), let title = document.title else {
            sentence = "the service answered \(status)"
            return
        }
        let places = (document.errors ?? []).map { "\($0.path) \($0.message)" }
        let parts = [title, document.detail].compactMap { $0 } + places
        sentence = parts.joined(separator: "; ")
    }
}
