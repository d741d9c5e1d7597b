/// One of the services that a command calls.
package enum Peer: String, CaseIterable, Sendable {
    case orders
    case courierETA = "courier-eta"
    case activityDispatch = "activity-dispatch"
    case desk
    case partners

    /// The services that consume or publish messages: they have dead letters and republish.
    package static let messaging: [Peer] = [.orders, .courierETA, .activityDispatch, .partners]

    /// The environment variable with its address, as `stack.env` sets it.
    package var variable: String {
        switch self {
        case .orders: "DOORSTEP_ORDERS_URL"
        case .courierETA: "DOORSTEP_COURIER_ETA_URL"
        case .activityDispatch: "DOORSTEP_ACTIVITY_DISPATCH_URL"
        case .desk: "DOORSTEP_DESK_URL"
        case .partners: "DOORSTEP_PARTNERS_URL"
        }
    }

    /// The service's default address, where the variable is not set.
    package var standardAddress: String {
        switch self {
        case .orders: "http://127.0.0.1:8081"
        case .courierETA: "http://127.0.0.1:8082"
        case .activityDispatch: "http://127.0.0.1:8083"
        case .desk: "http://127.0.0.1:8084"
        case .partners: "http://127.0.0.1:8085"
        }
    }
}
