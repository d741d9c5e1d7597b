import DeliveryDiagnosis

/// The base URLs of the services; `partners` is optional.
struct ServiceAddresses: Sendable {
    private let urls: [TimelineEvent.Source: String]

    init(_ urls: [TimelineEvent.Source: String]) { self.urls = urls }

    /// The services that can be asked, in their order.
    var configured: [TimelineEvent.Source] { TimelineEvent.Source.allCases.filter(has) }

    func has(_ service: TimelineEvent.Source) -> Bool { urls[service] != nil }

    func url(of service: TimelineEvent.Source) -> String { urls[service] ?? "" }
}
