internal import BackgroundWork
internal import CMalloc
internal import Logging

/// Returns to the system what the C library keeps free within its heaps, but for a megabyte at the end of each.
///
/// A heap shrinks at its end alone, so what a burst of requests used and freed elsewhere in it stays resident: 31 of
/// 161 MiB in a service with 2,250 streams, after a load.
///
/// - Source: docs/benchmarks.md, "Where memory goes".
func freeMemoryReturn(logger: Logger) -> PeriodicTask {
    PeriodicTask("return of free memory", every: .seconds(30), logger: logger) { malloc_trim(1 << 20) }
}
