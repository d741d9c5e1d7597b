import BackgroundWork
import Foundation

/// How devices are reconciled and pushes sent.
struct DispatchConfiguration: Sendable {
    /// Workers that reconcile at the same time; each holds a connection of the pool.
    var workersMax = 3
    /// Devices reconciled together, in one transaction.
    var devicesPerBatchMax = 16
    /// Open cards of a transaction's devices together, unless its first has more: a bound of its work and time.
    var cardsPerBatchMax = 128
    /// Deciding in one transaction goes on for so long before what is decided is committed, and always for one device:
    /// others' intents wait for the rows that it locks.
    var decidingMax = Duration.milliseconds(200)
    /// How long a push may take before another is sent, wall seconds.
    var leaseDuration: TimeInterval = 30
    /// The longest sleep, for devices that another replica made due.
    var pollInterval = Duration.milliseconds(100)
    var outagePause = Duration.milliseconds(500)
    /// How long a device that cannot be reconciled is postponed, unless something about it changes; wall seconds.
    var faultPause: TimeInterval = 60
    /// What is left of a lease when a send is given up, for its result to be recorded; wall seconds.
    var recordingTime: TimeInterval = 5
    /// How long sends may go on after shutdown began; then they are given up.
    var drainTimeout = Duration.seconds(5)
    /// Attempts to record a result once shutdown began; before that there is no limit.
    var lastRecordAttemptsMax = 10
    /// How long devices wait for whose transport no more may be leased; wall seconds.
    var fullPause: TimeInterval = 1
    var queue = SendQueueConfiguration()
}
