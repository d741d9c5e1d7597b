import OrderDomain

/// What tells a provider's report from every other report.
struct ReportKey: Hashable, Sendable {
    let delivery: DeliveryID
    let source: ProviderID
    let id: String
}
