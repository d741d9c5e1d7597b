import Foundation
import OrderDomain
import SeededRandom
import Testing

@Suite("Any sequence of presses, reports, retries and overrides")
struct ProofPropertyTests {
    /// A proof counts once it was really given; the model knows no more of the gate.
    private struct Model {
        var met: Set<ProofKind> = []

        mutating func note(_ change: DeliveryChange, from before: Delivery, to after: Delivery) {
            if after.episode > before.episode, case .override = change { met = [] }
            switch change {
            case .pin(isRight: true, entry: _): if before.missingProofs.contains(.pin) { met.insert(.pin) }
            case .age(let isPassed):
                if isPassed { if before.canCheckAge { met.insert(.age) } } else { met.remove(.age) }
            case .image(let kind, _): met.insert(kind)
            case .barcode: met.insert(.barcode)
            case .report(let report):
                // The photo of a closed door proves nothing.
                if report.status != .attempted, report.status != .returning { met.formUnion(report.proofs ?? []) }
            case .override(.delivered, _, _): met.formUnion(ProofKind.allCases)
            default: break
            }
        }
    }

    @Test("None makes `delivered` without its proof, and none loses a proof that was acknowledged", arguments: 0..<16)
    func interleavings(block: Int) throws {
        for seed in block * 250..<(block + 1) * 250 {
            var random = SeededGenerator(seed: UInt64(seed))
            let proofs = Set(ProofKind.allCases.filter { _ in Bool.random(using: &random) })
            var delivery = placedDelivery(proofs: proofs, ofEggs: Bool.random(using: &random) ? [.age] : nil)
            var model = Model()
            for step in 0..<60 {
                let before = delivery
                let change = randomChange(step, using: &random)
                do {
                    guard try delivery.apply(change, at: minutes(Double(step)), by: "person \(step)") else { continue }
                } catch {
                    #expect(delivery == before, "seed \(seed): a refusal changed something")
                    continue
                }
                model.note(change, from: before, to: delivery)
                if delivery.status == .handedOver(.delivered), before.status != delivery.status {
                    #expect(
                        model.met.isSuperset(of: delivery.requiredProofs),
                        "seed \(seed), step \(step), \(change): delivered with \(model.met)")
                }
                let known = (delivery.proof?.given ?? []) + (delivery.proof?.former ?? [])
                for given in (before.proof?.given ?? []) + (before.proof?.former ?? []) {
                    // A provider's earlier time of the same proof may follow.
                    #expect(
                        known.contains {
                            $0.kind == given.kind && $0.outcome == given.outcome && $0.by == given.by
                                && $0.image == given.image
                        },
                        "seed \(seed), step \(step), \(change): lost \(given)")
                }
                #expect(DeliveryReversal(from: before, to: delivery)(delivery) == before)
            }
        }
    }

    private func randomChange(_ step: Int, using random: inout SeededGenerator) -> DeliveryChange {
        func pick<Value>(_ values: [Value]) -> Value { values[Int.random(in: 0..<values.count, using: &random)] }
        let tail: [StatusCode] = [.pickedUp, .enRoute, .arriving, .atDoor, .delivered, .attempted, .returning]
        let reported: [StatusCode?] = [.enRoute, .atDoor, .attempted, .returning, .delivered, .delivered, nil, nil]
        let proofs: [[ProofKind]?] = [nil, nil, [.photo], [.signature, .photo], [.pin], [.barcode]]
        switch Int.random(in: 0..<17, using: &random) {
        case 0, 1, 2: return .status(pick(tail), reason: nil)
        case 3: return .status(pick([.accepted, .picking, .staged, .cancelled]), reason: nil)
        case 4: return .override(pick(StatusCode.allCases), reason: "by hand")
        case 5: return .courier(pick([anna, ben]))
        case 6, 7: return .pin(isRight: pick([true, false, false]))
        case 8: return .age(isPassed: pick([true, true, false]))
        case 9: return pick([.proofDecision, .handedOverUnconfirmed, .dispute(reason: "doubt"), .leaveAtDoor])
        case 10: return .item(eggs, pick([.found(quantity: 3), .outOfStock, .removed]))
        case 14, 15: return .image(pick([.photo, .signature]), pick(["one", "two"]))
        case 16: return .barcode(pick(["NH-1042-1", "another"]))
        case 11: return .milestone(pick(Milestone.allCases), assignmentEpoch: pick([0, 1, 2]))
        default:
            guard let source = ProviderID(rawValue: pick(["uber", "onfleet"])) else { return .release }
            return .report(
                ProviderReport(
                    source: source, sourceName: "Provider", id: "\(step)", kind: "event",
                    status: pick(reported),
                    occurredAt: minutes(Double(Int.random(in: 0...step, using: &random))),
                    receivedAt: minutes(Double(step)),
                    proofs: pick(proofs)))
        }
    }
}
