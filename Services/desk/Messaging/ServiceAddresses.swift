import Configuration
import DeliveryDiagnosis
import ProcessSettings

/// Where the three services are asked.
struct ServiceAddresses: Sendable {
    private let urls: [TimelineEvent.Source: String]

    init(_ urls: [TimelineEvent.Source: String]) { self.urls = urls }

    /// | Key | Type | Default | Secret |
    /// |---|---|---|---|
    /// | `services.orders.url` | base URL of `orders` | required | no |
    /// | `services.courierEta.url` | of `courier-eta` | required | no |
    /// | `services.activityDispatch.url` | of `activity-dispatch` | required | no |
    init(reading settings: ConfigReader) throws {
        func url(_ key: String, _ example: String) throws -> String {
            guard let url = try settings.origin(key, example: example) else {
                throw ConfigurationError(key: key, problem: "is not set", fix: "set it, such as to \(example)")
            }
            return url
        }
        urls = [
            .orders: try url("services.orders.url", "http://orders:8081"),
            .courierETA: try url("services.courierEta.url", "http://courier-eta:8082"),
            .activityDispatch: try url("services.activityDispatch.url", "http://activity-dispatch:8083"),
        ]
    }

    func url(of service: TimelineEvent.Source) -> String { urls[service] ?? "" }
}
