import DomainTime
import DoorstepAPI
import Foundation
import Messages
import OrderDomain
import PostgresClient

/// Accepts a check at the door: compares the PIN that the customer gave or the bag's barcode, or records the age check.
///
/// A PIN is compared under the delivery's lock and counted in the same transaction, so that no number of concurrent
/// tries compares more than five. Wrong ones are also counted for their sender over all deliveries.
struct GiveProof: Sendable {
    let change: ChangeDelivery
    /// Opens PINs; nil where none can be made.
    let pins: PINBox?

    enum Refusal: Error, Hashable, Sendable {
        /// - Parameter triesLeft: further tries until a person decides.
        case wrongPIN(triesLeft: Int)
        /// The sender has entered too many wrong PINs of several deliveries; further ones are refused until this time.
        case tooManyWrong(until: Date)
        /// The delivery's PIN cannot be read, since its key is missing; an operator decides.
        case unreadable
    }

    /// Wrong PINs of one courier over all deliveries in an hour.
    static let courierWrongMax = 20
    /// The same of one network of couriers' pages: many couriers share the address of a mobile carrier or of a proxy.
    static let networkWrongMax = 1_000
    /// The same for a shop's backend or an operator, who send what several couriers enter.
    static let shopWrongMax = 200

    /// Compares a PIN with the customer's.
    ///
    /// A PIN after the right one is not compared: the proof is given already.
    /// - Parameters:
    ///   - network: of a courier's page; nil for a caller with a token.
    ///   - entry: the sender's id of what was entered, by which a wrong one that is sent again is not counted again.
    /// - Throws: `Refusal`, `ChangeDelivery.Refusal`, `ChangeRefusal`; a wrong PIN is counted then.
    func pin(
        _ entered: CustomerPIN, of id: DeliveryID, by principal: Principal, from network: String? = nil,
        entry: UUID? = nil
    ) async throws -> ChangeDelivery.Outcome {
        let outcome: ChangeDelivery.Outcome
        let isWrong: Bool
        do {
            (outcome, isWrong) = try await change.pool.withTransaction(retriesMax: 3) { transaction in
                try await compare(entered, of: id, by: principal, from: network, entry: entry, in: transaction)
            }
        } catch Refusal.unreadable {
            _ = try await change(id, .proofDecision, by: principal)
            throw Refusal.unreadable
        }
        if outcome.hasChanged { change.wake() }
        if isWrong { throw Refusal.wrongPIN(triesLeft: outcome.record.delivery.proof?.pinTriesLeft ?? 0) }
        return outcome
    }

    private func compare(
        _ entered: CustomerPIN, of id: DeliveryID, by principal: Principal, from network: String?, entry: UUID?,
        in transaction: PostgresTransaction
    ) async throws -> (outcome: ChangeDelivery.Outcome, isWrong: Bool) {
        guard
            let record = try await OrderRepository.lockedDelivery(
                id, opening: change.personalData, in: transaction),
            principal.sees(record.delivery)
        else { throw ChangeDelivery.Refusal.notFound(id) }
        if let entry, record.delivery.proof?.lastWrongEntry == entry {
            return (ChangeDelivery.Outcome(record: record, hasChanged: false), true)
        }
        try record.delivery.checkPIN()
        guard record.delivery.missingProofs.contains(.pin) else {
            return (ChangeDelivery.Outcome(record: record, hasChanged: false), false)
        }
        guard let known = record.pin.flatMap({ pins?.open($0, of: id) }).flatMap(CustomerPIN.init) else {
            throw Refusal.unreadable
        }
        let guessers = Self.guessers(principal, network)
        for guesser in guessers {
            let count = try await ReferenceAttempts.count(
                guesser.name, attemptsMax: guesser.wrongMax, at: change.clock.now, on: transaction)
            if case .lockedOut(let until) = count { throw Refusal.tooManyWrong(until: until) }
        }
        let isRight = entered.isSame(as: known)
        if isRight {
            for guesser in guessers { try await ReferenceAttempts.uncount(guesser.name, on: transaction) }
        }
        let outcome = try await change(id, by: principal, in: transaction) { _ in
            .pin(isRight: isRight, entry: entry)
        }
        return (outcome, !isRight)
    }

    private static func guessers(_ principal: Principal, _ network: String?) -> [(name: String, wrongMax: Int)] {
        let ownMax = if case .courier = principal.subject { courierWrongMax } else { shopWrongMax }
        var guessers = [(name: "pin/\(principal.nameInStore)", wrongMax: ownMax)]
        if let network { guessers.append((name: "pin/network/\(network)", wrongMax: networkWrongMax)) }
        return guessers
    }

    /// Compares what was read or typed with the bag's barcode.
    ///
    /// - Throws: `ChangeDelivery.Refusal`, `ChangeRefusal`.
    func barcode(_ text: String, of id: DeliveryID, by principal: Principal) async throws -> ChangeDelivery.Outcome {
        try await change(id, .barcode(text), by: principal)
    }

    /// Records the age check; a refused one sends the goods back.
    ///
    /// - Throws: `ChangeDelivery.Refusal`, `ChangeRefusal`.
    func age(
        _ check: GiveProofBody.AgeCheck, of id: DeliveryID, by principal: Principal
    ) async throws -> ChangeDelivery.Outcome {
        try await change(id, .age(isPassed: check == .passed), by: principal)
    }
}
