import OrderDomain

/// The identity of a provider's report.
struct ReportKey: Hashable, Sendable {
    let delivery: DeliveryID
    let source: ProviderID
    let id: String
}
