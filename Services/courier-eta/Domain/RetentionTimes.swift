/// Days for which this service keeps data of persons, one set for all stores.
struct RetentionTimes: Hashable, Sendable {
    /// An ended delivery with its estimate, as long as its activity's tombstone.
    var estimatesDays = 14
    /// Couriers' positions, in whole partitions; periods of duty too, since they decide which positions may be kept.
    var fixesDays = 7
    /// A revoked phone, as long as a timeline is kept.
    var phonesDays = 30
    /// A courier without a position, and without a live delivery; as long as `orders` keeps their name.
    var seenCouriersDays = 90
    /// Completed legs and dwells, which have no person.
    var ridesDays = 90
}
