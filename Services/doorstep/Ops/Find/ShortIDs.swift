import Foundation
import OrderDomain

/// The shortest beginning of each id that none of the others begins with.
struct ShortIDs {
    /// Characters at least: among ten thousand deliveries of two days, one in 1,700 shares six with another.
    static let charactersMin = 6

    private let ids: [String]

    init(_ ids: [DeliveryID]) { self.ids = ids.map(\.rawValue).sorted() }

    /// The beginning of an id that is one of these.
    func beginning(of id: DeliveryID) -> String {
        let text = id.rawValue
        guard let index = ids.firstIndex(of: text) else { return text }
        let neighbours = [index - 1, index + 1].filter(ids.indices.contains).map { ids[$0] }
        let shared = neighbours.map { $0.commonPrefix(with: text).count }.max() ?? 0
        return String(text.prefix(max(Self.charactersMin, shared + 1)))
    }
}
