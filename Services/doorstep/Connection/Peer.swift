/// One of the three services.
enum Peer: String, CaseIterable, Sendable {
    case orders
    case courierETA = "courier-eta"
    case activityDispatch = "activity-dispatch"

    /// The variable that `stack.env` sets.
    var variable: String {
        switch self {
        case .orders: "DOORSTEP_ORDERS_URL"
        case .courierETA: "DOORSTEP_COURIER_ETA_URL"
        case .activityDispatch: "DOORSTEP_ACTIVITY_DISPATCH_URL"
        }
    }

    var standardAddress: String {
        switch self {
        case .orders: "http://127.0.0.1:8081"
        case .courierETA: "http://127.0.0.1:8082"
        case .activityDispatch: "http://127.0.0.1:8083"
        }
    }
}
