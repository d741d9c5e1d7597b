import ArrivalEstimate
import OrderDomain

/// One phone's normalised fixes from one request.
struct FixBatch: Hashable, Sendable {
    let courier: CourierID
    var phone = PhoneID.own
    let fixes: [Fix]
    /// Whether only fixes measured on duty are ingested.
    var isOnDutyOnly = false
    /// Whether it is time to record that the phone was seen.
    var recordsHeartbeat = false
    /// The phone's positions that could not be read since its last heartbeat.
    var malformed = 0
    /// Headers of the messages that result, so that they belong to the request's trace.
    var traceHeaders: [String: String] = [:]
}
