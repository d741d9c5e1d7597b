public import Foundation

/// A page of orders, by when they last changed.
public struct OrdersBody: Codable, Sendable {
    public let orders: [OrderBody]
    /// What `?cursor=` takes for the next page; nil on the last.
    public let next: String?
    /// What `?changedSince=` takes after the last page: every change before it has been in an answer.
    public let changedUntil: Date

    public init(orders: [OrderBody], next: String?, changedUntil: Date) {
        self.orders = orders
        self.next = next
        self.changedUntil = changedUntil
    }
}
