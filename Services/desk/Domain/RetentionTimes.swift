/// Days for which the desk keeps what operators noted, one set for all stores.
struct RetentionTimes: Hashable, Sendable {
    /// Owner, snooze and note of a delivery after the last change, the same as for a timeline.
    var triageDays = 30
}
