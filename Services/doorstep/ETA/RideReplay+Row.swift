import Foundation
import OrderDomain

extension RideReplay.Row {
    /// `t_unix,eta_seconds,lo_seconds,hi_seconds,published`.
    var fields: String {
        func after(_ date: Date) -> String { date.timeIntervalSince(time).tenths }
        return [
            time.timeIntervalSince1970.tenths, after(estimate.arrivesAt), after(estimate.earliest),
            after(estimate.latest), isPublished ? "1" : "0",
        ].joined(separator: ",")
    }
}

extension Double {
    /// The number with one decimal, the same in every locale.
    var tenths: String {
        let tenths = Int64((self * 10).rounded())
        let milestone = tenths < 0 ? "-" : ""
        return "\(milestone)\(tenths.magnitude / 10).\(tenths.magnitude % 10)"
    }
}
