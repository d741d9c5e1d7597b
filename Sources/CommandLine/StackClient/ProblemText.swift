internal import Foundation
internal import WireCoding

/// A problem document (RFC 9457) as one sentence.
struct ProblemText {
    let sentence: String

    private struct Document: Decodable {
        let title: String?
        let detail: String?
        let errors: [Place]?

        struct Place: Decodable {
            let path: String
            let message: String
            let allowed: [String]?

            var text: String {
                let values = allowed.map { ": " + $0.joined(separator: ", ") } ?? ""
                return "\(path) \(message)\(values)"
            }
        }
    }

    init(_ data: Data, status: Int) {
        // An answer without a problem document is described by its status.
        guard let document = try? WireJSON.decode(Document.self, from: data), let title = document.title else {
            sentence = "the service answered \(status)"
            return
        }
        // A problem with one faulty property repeats its message in the detail.
        let places = document.errors ?? []
        let detail = document.detail.flatMap { detail in
            places.contains { detail.hasPrefix("\($0.path) \($0.message)") } ? nil : detail
        }
        let parts = [title, detail].compactMap(\.self) + places.map(\.text)
        sentence = parts.joined(separator: "; ")
    }
}
