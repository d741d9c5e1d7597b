import ArgumentParser
import CommandOutput
import DoorstepAPI
import Foundation
import NIOHTTP1
import OrderDomain
import StackClient
import WireCoding

/// Requests that a customer is erased in all services, and waits for the certificate.
struct AdminCustomerErase: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "erase",
        abstract: "Erase a customer in all services.",
        discussion: """
            Cards leave their screens first. Then each service deletes its rows, or puts a pseudonym in the place of the \
            customer; late messages bring nothing back. Refused with 5 while a delivery of theirs is live, unless with \
            --end-live. Needs an operator's token with scope supervisor. Leaves with 6 if a service has not answered in \
            time; the request goes on without this command, and the same command shows it again.
            """)

    @Argument(help: "The customer's id.")
    var customer: CustomerID
    @ArgumentParser.Flag(help: "End the customer's live deliveries first.")
    var endLive = false
    @Option(help: "How long to wait for all services.")
    var waitSeconds = 300
    @OptionGroup var output: OutputOptions
    @OptionGroup var confirmation: Confirmation

    func run() async throws {
        let orders = try PeerClient(.orders, as: .operator)
        try confirmation.ask("Erase everything that is known of customer \(customer)?")
        let certificate = try await Erasure(orders).erase(
            .customer(customer), endLive: endLive, waiting: .seconds(waitSeconds))
        let json = try WireJSON.encode(certificate)
        await output.show(
            json: json, text: Self.text(of: certificate).joined(separator: "\n"))
        guard certificate.state == .done else {
            throw CommandFailure(.unavailable, "request \(certificate.id) is still running")
        }
    }

    static func text(of request: PersonRequestBody) -> [String] {
        let deleted = request.services.flatMap { service in
            service.tables.map { "\(service.service) \($0.table): \($0.rows) erased" }
                + (service.failure.map { ["\(service.service): \($0)"] } ?? [])
        }
        let kept = (request.expiries ?? []).map { expiry in
            "left: \(expiry.what)" + (expiry.until.map { ", until \(WireJSON.text(of: $0))" } ?? "")
        }
        let isDone = request.state == .done
        return deleted + kept + [isDone ? "erased: request \(request.id)" : "request \(request.id) is running"]
    }
}

/// A person of a request to erase or to export.
enum RequestedPerson: Hashable, CustomStringConvertible {
    case customer(CustomerID)
    case courier(CourierID)

    /// `customer mette`.
    var description: String {
        switch self {
        case .customer(let id): "customer \(id)"
        case .courier(let id): "courier \(id)"
        }
    }

    var path: String {
        switch self {
        case .customer(let id): "/v1/customers/\(id)"
        case .courier(let id): "/v1/couriers/\(id)"
        }
    }
}

/// Makes requests to erase persons.
struct Erasure {
    private let orders: PeerClient

    init(_ orders: PeerClient) { self.orders = orders }

    /// Makes the request, and waits until it is done or the time is over.
    func erase(_ person: RequestedPerson, endLive: Bool, waiting: Duration) async throws -> PersonRequestBody {
        let accepted = try await orders.send(
            .POST, "\(person.path)/erase", body: ErasePersonBody(endLive: endLive),
            as: PersonRequestBody.self
        ).body
        return try await orders.personRequest(accepted, waiting: waiting)
    }
}
