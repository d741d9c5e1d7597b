import DoorstepAPI
import Foundation
import Hummingbird
import OrderDomain
import ServiceRuntime

/// Checks at the door that a shop's backend or a courier's own app reports, and the PIN that a customer reads to an operator.
extension OrdersHTTP {
    @Sendable func acceptProof(_ request: Request, _ context: AppContext) async throws -> Response {
        let principal = try context.principal(.store, .operator, .courier, as: .dispatcher)
        let id = try context.path("id", as: DeliveryID.self)
        let body = try await request.decode(as: GiveProofBody.self) { body, check in
            check.require(
                [body.pin, body.age?.rawValue, body.barcode].count { $0 != nil } == 1, "pin",
                "must be given, or age, or barcode, and one alone", reading: ["age", "barcode"])
            check.require(body.pin.map { CustomerPIN($0) != nil } ?? true, "pin", "must be four digits")
            check.require(
                body.entry.map { UUID(uuidString: $0) != nil && body.pin != nil } ?? true, "entry",
                "must be a UUID, beside a PIN", reading: ["pin"])
        }
        do {
            if let age = body.age {
                try principal.checkIsAtDoor("an age check")
                return try response(try await giveProof.age(age, of: id, by: principal), for: principal)
            }
            if let barcode = body.barcode {
                try principal.checkIsAtDoor("a barcode")
                return try response(try await giveProof.barcode(barcode, of: id, by: principal), for: principal)
            }
            guard let pin = body.pin.flatMap(CustomerPIN.init) else {
                throw Problem.malformed("pin", "must be four digits")
            }
            let entry = body.entry.flatMap { UUID(uuidString: $0) }
            return try response(try await giveProof.pin(pin, of: id, by: principal, entry: entry), for: principal)
        } catch let refusal as GiveProof.Refusal {
            throw Problem(refusal, at: change.clock)
        }
    }
}

extension Principal {
    /// Refuses an operator, who is at no door: they set `delivered` with a reason, which waives the check.
    ///
    /// - Throws: `Problem`.
    func checkIsAtDoor(_ report: String) throws {
        if case .operator = subject { throw Problem.notAtDoor(report) }
    }
}
