import SimulationSupport

/// What a run is made of.
struct RunParts: Sendable {
    let stack: ProxiedStack
    let devices: DeviceFleet
    let database: DatabaseFaults
    let book: LedgerBook
    let gate: Gate
    let log: RunLog
    let reader: SnapshotReader
}
