import SimulationSupport

/// What a run is made of.
struct RunParts: Sendable {
    let stack: ProxiedStack
    let devices: DeviceFleet
    let phones: IPhoneFleet
    let shop: Shop
    let receiver: WebhookReceiver
    let faultTimes: FaultTimes
    let database: DatabaseFaults
    let log: RunLog
    let reader: SnapshotReader

    var book: LedgerBook { shop.book }
    var gate: Gate { shop.gate }
}
