import Foundation
import OrderDomain

/// A store's face with the time and the actor of its last change.
struct StoredFace: Sendable {
    let face: StoreFace
    let changedAt: Date
    /// As timelines name an actor, such as `operator ada`.
    let changedBy: String
}
