public import Foundation

/// A page of orders, by when they last changed.
public struct OrdersBody: Codable, Sendable {
    public let orders: [OrderBody]
    /// The value of `?cursor=` for the next page; nil on the last.
    public let next: String?
    /// The value of `?changedSince=` of the next reading, on the first page of this one.
    ///
    /// After the last page some answer has contained every earlier change.
    public let changedUntil: Date

    public init(orders: [OrderBody], next: String?, changedUntil: Date) {
        self.orders = orders
        self.next = next
        self.changedUntil = changedUntil
    }
}
