import ArgumentParser
import CommandOutput
import DeliveryDiagnosis
import DomainTime
import DoorstepAPI
import Foundation
import NIOHTTP1
import OrderDomain
import StackClient
import TimePresentation

/// Promises deliveries another window.
struct OpsPromise: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "promise", abstract: "Change deliveries' promises; their customers see the new window.",
        discussion: """
            A clock time such as 20:30 is the store's, today's or, where that is over half a day ago, tomorrow's; an \
            instant is written as 2026-11-21T18:24:00Z. The reference of an order of several bags moves all of them \
            that are live, where they have one promise. --dry-run has a line for each, and names a window that has \
            passed or ends before the earliest expected arrival.
            """)

    @OptionGroup var bulk: BulkChange
    @Option(help: "The window's start, such as 20:30.")
    var from: StoreTime
    @Option(help: "The window's end.")
    var to: StoreTime
    @OptionGroup var why: Reason

    func run() async throws {
        let now = try await Stack().clock().now
        let courierETA = bulk.dryRun ? try PeerClient(.courierETA, as: .operator) : nil
        try await bulk.make(.PUT, "/promise", ofWholeOrders: true) { _, delivery in
            let times = StoreTimes(timeZone: delivery.store.timeZone, now: now)
            let start = from.date(in: times.timeZone, now: now)
            let end = to.end(after: start, in: times.timeZone, now: now)
            guard let promise = Promise(start: start, end: end) else {
                throw CommandFailure(.usage, "--to is after --from")
            }
            var estimate: Estimate?
            if let courierETA {
                estimate = try await PeerAnswer.request {
                    try await courierETA.get("/v1/estimates/\(delivery.id)", as: EstimateBody.self)
                }.body?.coming(of: delivery, at: now)
            }
            return (Self.text(promise, estimate, times), PromiseBody(start: start, end: end, reason: why.reason))
        }
    }

    /// The change in words: `promised 17:00 to 18:00 Europe/Copenhagen (this window has passed)`.
    static func text(_ promise: Promise, _ estimate: Estimate?, _ times: StoreTimes) -> String {
        let doubt = PromiseDoubt(promise, estimate: estimate, now: times.now).map { " (\($0.text(times)))" }
        return "promised \(times.text(from: promise.start, to: promise.end)) \(times.zoneName)\(doubt ?? "")"
    }
}
