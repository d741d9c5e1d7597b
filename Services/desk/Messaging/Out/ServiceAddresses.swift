import Configuration
import DeliveryDiagnosis
import ProcessSettings

/// Where the services are asked; `partners` may be left out.
struct ServiceAddresses: Sendable {
    private let urls: [TimelineEvent.Source: String]

    init(_ urls: [TimelineEvent.Source: String]) { self.urls = urls }

    /// | Key | Type | Default | Secret |
    /// |---|---|---|---|
    /// | `services.orders.url` | base URL of `orders` | required | no |
    /// | `services.courierEta.url` | of `courier-eta` | required | no |
    /// | `services.activityDispatch.url` | of `activity-dispatch` | required | no |
    /// | `services.partners.url` | of `partners` | none: pages leave out what it knows | no |
    init(reading settings: ConfigReader) throws {
        func url(_ key: String, _ example: String) throws -> String {
            guard let url = try settings.origin(key, example: example) else {
                throw ConfigurationError(key: key, problem: "is not set", fix: "set it, such as to \(example)")
            }
            return url
        }
        var urls: [TimelineEvent.Source: String] = [
            .orders: try url("services.orders.url", "http://orders:8081"),
            .courierETA: try url("services.courierEta.url", "http://courier-eta:8082"),
            .activityDispatch: try url("services.activityDispatch.url", "http://activity-dispatch:8083"),
        ]
        urls[.partners] = try settings.origin("services.partners.url", example: "http://partners:8085")
        self.urls = urls
    }

    /// The services that can be asked, in their order.
    var configured: [TimelineEvent.Source] { TimelineEvent.Source.allCases.filter(has) }

    func has(_ service: TimelineEvent.Source) -> Bool { urls[service] != nil }

    func url(of service: TimelineEvent.Source) -> String { urls[service] ?? "" }
}
