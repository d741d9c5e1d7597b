import DeliveryDiagnosis
import DoorstepAPI

/// Reads the state of a shop's webhooks, and its delivery providers' receipts, concurrently.
struct ReadPartners: Sendable {
    let services: ServiceClient

    struct Result: Sendable {
        /// The most urgent endpoints first.
        let endpoints: [EndpointBody]
        let sources: [SourceBody]
        /// The receipts by ``PendingReceipts``; one of two kinds is in the first alone.
        let pending: [Pending]
    }

    struct Pending: Sendable {
        let kind: PendingReceipts
        /// Newest first.
        let receipts: [ReceiptBody]
        /// Whether there are more than these.
        let hasMore: Bool
    }

    /// Whether the desk's settings name where `partners` is.
    var isConfigured: Bool { services.addresses.has(.partners) }

    /// - Throws: ``ServiceRefusal``, and ``ServiceUnavailable`` also where `partners` is not configured.
    func callAsFunction(for user: DeskUser) async throws -> Result {
        async let endpoints = services.get(.partners, "/v1/webhooks", for: user, as: EndpointsBody.self)
        async let sources = services.get(.partners, "/v1/sources", for: user, as: SourcesBody.self)
        async let waiting = receipts(.waiting, for: user)
        async let unknown = receipts(.unknown, for: user)
        async let unreadable = receipts(.unreadable, for: user)
        async let quarantined = receipts(.quarantined, for: user)
        let pages: [(PendingReceipts, ReceiptsBody)] = [
            (.waiting, try await waiting), (.unknown, try await unknown), (.unreadable, try await unreadable),
            (.quarantined, try await quarantined),
        ]
        return Result(
            endpoints: EndpointBody.worstFirst(try await endpoints.endpoints), sources: try await sources.sources,
            pending: Self.withoutRepeats(pages))
    }

    private func receipts(_ kind: PendingReceipts, for user: DeskUser) async throws -> ReceiptsBody {
        try await services.get(.partners, kind.path, for: user)
    }

    private static func withoutRepeats(_ pages: [(PendingReceipts, ReceiptsBody)]) -> [Pending] {
        var seen: Set<String> = []
        return pages.map { kind, page in
            let own = page.receipts.filter { seen.insert($0.id).inserted }
            return Pending(
                kind: kind, receipts: Array(own.prefix(PendingReceipts.shownMax)),
                hasMore: page.next != nil || own.count > PendingReceipts.shownMax)
        }
    }
}
