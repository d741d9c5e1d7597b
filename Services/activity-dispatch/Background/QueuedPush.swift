/// A leased push on its way over a network.
struct QueuedPush: Sendable {
    let push: Push
    let card: Card
    let device: Device
    /// Before its lease expires, with time left to record the result.
    let deadline: ContinuousClock.Instant
}
