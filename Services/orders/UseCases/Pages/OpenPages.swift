import DeclaredMetrics
import Logging
import OrderDomain
import ServiceRuntime

/// The reader of an open page: a browser of the delivery's customer, or of a person to whom they forwarded the link.
struct PageReader: StreamReader {
    /// The delivery's customer.
    let owner: CustomerID
    let network: String
    /// Whether the reader gave the order's number.
    let isProven: Bool
}

/// The pages that are open in this process.
final class OpenPages: Sendable {
    /// Open pages of one delivery in one process; one more is refused with 429.
    static let pagesPerDeliveryMax = 50
    /// The limit of pages whose readers have not entered the order's number: a link is forwarded, and its other readers
    /// must leave the customer room.
    static let unprovenPagesPerDeliveryMax = 40
    /// The limit of pages per network; the oldest page yields to a new one, pages without the number first.
    ///
    /// A reader who goes from page to page leaves streams behind, which the process detects at their next heartbeat.
    static let pagesPerNetworkMax = 4
    /// The last event of a page that yields.
    ///
    /// Without it the browser would connect again at once, the next page would yield to it, and so on without end.
    private static let replaced = ServerSentEvent(event: "replaced", data: "")

    enum CustomerChange: Hashable, Sendable {
        /// The first page of one of the customer's deliveries was opened.
        case began(CustomerID)
        /// The last one was closed.
        case ended(CustomerID)
    }

    let streams: OpenStreams<DeliveryID, PageReader>
    /// The customers' changes between having and not having open pages; for one reader.
    let customerChanges: AsyncStream<CustomerChange>
    let followed: FollowedDeliveries

    init(logger: Logger) {
        let followed = FollowedDeliveries()
        let (customerChanges, continuation) = AsyncStream.makeStream(of: CustomerChange.self)
        self.followed = followed
        self.customerChanges = customerChanges
        streams = OpenStreams(
            "pages", gauge: OrdersMetrics.pagesOpen.meter(), lastOfReplaced: OpenPages.replaced, logger: logger,
            changed: { change, open in
                switch change {
                case .opened(let page):
                    followed.begin(page.topic)
                    if open.count(of: page.reader.owner) == 1 { continuation.yield(.began(page.reader.owner)) }
                case .closed(let page):
                    if open.streams(of: page.topic).isEmpty { followed.end(page.topic) }
                    if open.count(of: page.reader.owner) == 0 { continuation.yield(.ended(page.reader.owner)) }
                }
            })
    }

    /// Opens a page of a delivery.
    ///
    /// - Returns: nil when the delivery has reached the limit of open pages.
    func open(_ delivery: DeliveryID, for reader: PageReader) -> StreamSlot? {
        streams.open(delivery, for: reader) { table in
            let open = table.streams(of: delivery)
            let own = open.filter { $0.reader.network == reader.network }
            let replaced =
                own.count < Self.pagesPerNetworkMax ? nil : own.first { !$0.reader.isProven } ?? own.first
            let others = open.filter { $0.number != replaced?.number }
            guard others.count < Self.pagesPerDeliveryMax,
                reader.isProven || others.count(where: { !$0.reader.isProven }) < Self.unprovenPagesPerDeliveryMax
            else { return .refused }
            return .admitted(inPlaceOf: replaced.map { [$0.number] } ?? [])
        }
    }

    /// Notes the version that one reader was shown, and wakes the delivery's pages where they show another.
    func noteRead(_ version: PageRepository.Version, of delivery: DeliveryID) {
        let (isAnother, wasKnown) = followed.keep(version, of: delivery)
        if isAnother, wasKnown { streams.notify(delivery) }
    }
}
