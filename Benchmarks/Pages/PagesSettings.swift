/// The arguments of `Benchmarks/run pages`.
struct PagesSettings {
    /// The stack's folder.
    let folder: String
    let output: String
    /// Pages that are opened, several of each delivery.
    let pages: Int
    /// Changes a second while the pages are open.
    let rate: Double
    /// How long the stack idles, then all pages wait, then deliveries change.
    let seconds: Double

    /// Pages of one delivery; the service takes up to 4 from one address.
    static let pagesPerDelivery = 4
    /// Requests for a first page.
    static let firstPages = 200
    /// Below the 200 requests a second that the service takes of one address.
    static let opensPerSecond = 150.0
    /// To `orders`, each with a token of its own.
    static let connections = 64

    /// Deliveries that are placed: more than the pages need where the rate needs more.
    var deliveries: Int {
        max(pages / Self.pagesPerDelivery, Int((rate * OpenLoad.secondsBetweenChanges).rounded(.up)), 1)
    }

    init(_ arguments: some Sequence<String>) throws {
        var options = try Options(arguments)
        folder = try options.folder()
        output = options.text("--output") ?? ".doorstep/bench-pages.json"
        pages = try options.count("--pages", default: 10_000)
        rate = try options.number("--rate", default: 100)
        seconds = try options.number("--seconds", default: 60)
        try options.finish()
        guard deliveries <= pages else {
            throw BenchFailure("\(rate) changes/s need \(deliveries) deliveries, each with a page: raise --pages")
        }
    }
}
