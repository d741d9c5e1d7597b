import DoorstepAPI
import Foundation
import NIOCore
import OrderDomain
import ServiceRuntime

/// Measures how long a store's webhook takes, first in quiet, then while other stores' receivers are slow or dead.
///
/// `orders` and `partners` run with their database and their broker; the other services are stopped.
enum SlowReceiversBench {
    static func measure(_ settings: SlowReceiversSettings) async throws -> SlowReceiversReport {
        let stack = try Stack(folder: settings.folder)
        let machine = try Machine(stack: stack)
        let signer = try await TokenSigner(kid: "doorstep-admin", file: stack.tokenKeyFile)
        let operators = try await PlacedLoad.tokens(signer, .operator, count: WebhookEndpoints.connections)
        let stores = try await PlacedLoad.tokens(signer, .store, count: MeasuredStore.connections)
        let measured = try await MeasuredStore(on: stack, rate: settings.rate, tokens: stores, operators: operators)
        try stack.stop(["desk", "activity-dispatch", "courier-eta"])

        Bench.log("warming up")
        _ = try measured.period(changesPerSecond: settings.rate, seconds: 5, on: stack)
        Bench.log("quiet, \(settings.seconds) s")
        let quiet = try measured.period(changesPerSecond: settings.rate, seconds: settings.seconds, on: stack)

        Bench.log("adding endpoints")
        let others = try await OtherStores(settings, on: stack, operators: operators)
        let threads = WorkThreads()
        let token = try await Bench.token(signer, .store, "bench-others")
        threads.start("orders of other stores") { try others.placeOrders(token: token, until: $0) }
        try measured.wait(seconds: settings.rampSeconds)
        Bench.log("loaded, \(settings.seconds) s")
        let loaded = try measured.period(changesPerSecond: settings.rate, seconds: settings.seconds, on: stack)
        try threads.stop()
        return SlowReceiversReport(
            machine: machine, changesPerSecond: settings.rate, seconds: settings.seconds,
            slowEndpoints: settings.slowStores * SlowReceiversSettings.endpointsPerStore,
            slowStores: settings.slowStores, answerSeconds: settings.answerSeconds,
            deadEndpoints: settings.deadEndpoints, deadStores: settings.deadStores, quiet: quiet, loaded: loaded,
            eventsWaiting: try stack.count("SELECT count(*) FROM partners.event_deliveries WHERE state = 'waiting'"))
    }
}
