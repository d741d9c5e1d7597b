import ArgumentParser
import CommandOutput
import DoorstepAPI
import Foundation
import OrderDomain
import StackClient
import TimePresentation

/// The couriers that may be assigned.
struct CourierList: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List couriers with their duty, phones and number of deliveries.")

    @OptionGroup var output: OutputOptions

    func run() async throws {
        let couriers = try await CourierDirectory(client: try PeerClient(.courierETA, as: .operator)).all()
        try await output.show(couriers, for: .operator) {
            couriers.table($0, columnsMax: TerminalSize.ofOutput()?.columns)
        }
    }
}

extension [CouriersBody.Row] {
    /// - Parameters:
    ///   - times: the format of its times.
    ///   - columnsMax: the width of the terminal; nil prints every column.
    func table(_ times: StoreTimes, columnsMax: Int? = nil) -> Table {
        Table(
            ["COURIER", "NAME", "DUTY", "DELIVERIES", "PHONES", "LAST SEEN"], of: self, ifEmpty: "no couriers",
            columnsMax: columnsMax, leavingOut: ["PHONES", "NAME", "LAST SEEN"]
        ) { courier in
            [
                courier.courier.rawValue, courier.name ?? "–",
                (courier.onDuty ? "on duty" : "–") + (courier.isSilent == true ? ", silent" : ""),
                "\(courier.deliveries)", "\(courier.phones)",
                courier.lastSeenAt.map { times.text($0, withSeconds: true) } ?? "never",
            ]
        }
    }
}

/// The couriers known to `courier-eta`, for an assignment.
struct CourierDirectory: Sendable {
    let client: PeerClient

    func all() async throws -> [CouriersBody.Row] {
        var couriers: [CouriersBody.Row] = []
        var after: CourierID?
        repeat {
            let page: CouriersBody = try await client.get("/v1/couriers", query: [("after", after?.rawValue)])
            couriers += page.couriers
            after = page.next
        } while after != nil
        return couriers
    }

    /// The courier with this id; nil for one never enrolled or assigned.
    func courier(_ id: CourierID) async throws -> CouriersBody.Row? {
        let page: CouriersBody = try await client.get("/v1/couriers", query: [("courier", id.rawValue)])
        return page.couriers.first
    }
}
