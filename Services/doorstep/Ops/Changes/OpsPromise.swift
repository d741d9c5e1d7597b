import ArgumentParser
import CommandOutput
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
            that are live, where they have one promise; --dry-run has a line for each.
            """)

    @OptionGroup var bulk: BulkChange
    @Option(help: "The window's start, such as 20:30.")
    var from: StoreTime
    @Option(help: "The window's end.")
    var to: StoreTime
    @OptionGroup var why: Reason

    func run() async throws {
        let now = try await Stack().clock().now
        try await bulk.make(.PUT, "/promise", ofWholeOrders: true) { _, delivery in
            let times = StoreTimes(timeZone: delivery.store.timeZone, now: now)
            let start = from.date(in: times.timeZone, now: now)
            let end = to.end(after: start, in: times.timeZone, now: now)
            guard start < end else { throw CommandFailure(.usage, "--to is after --from") }
            let window = "\(times.text(from: start, to: end)) \(times.zoneName)"
            return ("promised \(window)", PromiseBody(start: start, end: end, reason: why.reason))
        }
    }
}
