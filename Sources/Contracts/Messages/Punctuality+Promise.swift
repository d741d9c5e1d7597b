public import Foundation
public import LiveActivity
public import OrderDomain
import WireCoding

extension Punctuality {
    /// - Parameters:
    ///   - time: when the delivery was handed over, or is expected to be.
    ///   - promise: the window to compare it with.
    public init(of time: Date, in promise: Promise) {
        self.init(of: time.epochSeconds, in: Window(promise))
    }
}
