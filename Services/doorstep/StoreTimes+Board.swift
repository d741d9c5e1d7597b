import DeliveryDiagnosis
import DomainTime
import DoorstepAPI
import Foundation
import StackClient
import TimePresentation

extension StoreTimes {
    /// The format of times that belong to no delivery: in the zone of the stores on the holder's board.
    ///
    /// - Returns: UTC where the board is empty, or `orders` does not answer.
    /// - Throws: `CommandFailure` for an invalid setting of the stack's clock.
    static func ofStores(for holder: TokenHolder) async throws -> StoreTimes {
        let now = try await Stack().clock().now
        // A list with its times in UTC is better than no list, and it names the zone.
        let board = try? await PeerClient(.orders, as: holder).get("/v1/deliveries", as: BoardBody.self)
        return StoreTimes(board?.deliveries ?? [], now: now)
    }
}
