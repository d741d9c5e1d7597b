import BackgroundWork
import Foundation

/// The bounds of reconciliation and sending.
struct DispatchConfiguration: Sendable {
    /// Workers that reconcile at the same time; each holds a connection of the pool.
    var workersMax = 3
    /// Devices reconciled together, in one transaction.
    var devicesPerBatchMax = 16
    /// Open cards of a transaction's devices together, unless its first has more: a bound of its work and time.
    var cardsPerBatchMax = 128
    /// The time after which one transaction stops deciding and commits, after at least one device: others' intents wait
    /// for the rows that it locks.
    var decidingMax = Duration.milliseconds(200)
    /// The lease of a push, after which another may be sent, in wall seconds.
    var leaseDuration: TimeInterval = 30
    /// The longest sleep, for devices that another replica made due.
    var pollInterval = Duration.milliseconds(100)
    var outagePause = Duration.milliseconds(500)
    /// The postponement of a device that cannot be reconciled, unless the device changes; wall seconds.
    var faultPause: TimeInterval = 60
    /// The rest of a lease after a send's time-out, for recording its result; wall seconds.
    var recordingTime: TimeInterval = 5
    /// The time for running sends after shutdown begins; later ones are abandoned.
    var drainTimeout = Duration.seconds(5)
    /// Attempts to record a result once shutdown began; before that there is no limit.
    var lastRecordAttemptsMax = 10
    /// The wait of devices whose transport's queue is full; wall seconds.
    var fullPause: TimeInterval = 1
    var queue = SendQueueConfiguration()
}
