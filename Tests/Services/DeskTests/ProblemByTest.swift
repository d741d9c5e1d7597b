/// A refusal as services answer it.
struct ProblemByTest: Encodable {
    struct Fault: Encodable {
        let path: String
        let message: String
    }

    private let type: String
    private let title: String
    private let detail: String?
    private let errors: [Fault]?

    init(_ slug: String, title: String, detail: String? = nil, errors: [Fault]? = nil) {
        type = "https://doorstep.dev/problems/\(slug)"
        self.title = title
        self.detail = detail
        self.errors = errors
    }

    static let stale = ProblemByTest("stale", title: "Stale")
}
