import Foundation
import Testing

@testable import LiveActivity

@Suite("Golden payloads")
struct GoldenTests {
    static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Golden")
    static let isUpdating = ProcessInfo.processInfo.environment["UPDATE_GOLDEN"] == "1"

    /// What a shop adds: items and their prices, why a delivery went wrong, and that it follows no courier.
    private static let explained: [String: DeliverySnapshot] = {
        let currency = "DKK"
        var question = Sample.delivery(.picking, flags: [.needsCustomer])
        question.proposal = .init(
            id: "i-3-1", item: "Whole milk 1 l", substitute: "Organic milk 1 l", quantity: 2, answerUntil: nil,
            priceDifference: Amount(minorUnits: 450, currency: currency))
        var staged = Sample.delivery(.staged)
        staged.items = [.init(name: "Rye bread", quantity: 1, state: .soldOut)]
        var delivered = Sample.delivery(.delivered)
        delivered.items = [
            .init(
                name: "Rye bread", quantity: 1, state: .soldOut, refund: Amount(minorUnits: 2500, currency: currency))
        ]
        var failed = Sample.delivery(.failed)
        failed.reason = .nobodyHome
        failed.nextStep = .storeContacts
        failed.refund = Amount(minorUnits: 12_000, currency: currency)
        var untracked = Sample.delivery(.enRoute)
        untracked.courierTracking = .untracked
        return [
            "explained-question": question, "explained-sold-out": staged, "explained-delivered": delivered,
            "explained-failed": failed,
            "explained-untracked": untracked,
        ]
    }()

    /// A start for each live case, an end for each ended one, and one payload of each other kind.
    static let payloads: [String: PushPayload] = {
        var payloads: [String: PushPayload] = [:]
        let explainedSteps = explained.map { ($0.key, ActivityStep.after($0.value, arrival: nil, step: 0)) }
        for (name, step) in Sample.cases.map({ ("\($0)", $0.step) }) + explainedSteps {
            switch step {
            case .show(let shown):
                payloads[name] = .start(shown, timestamp: Sample.sixPM + 900, alert: shown.alert)
            case .ended(let ended):
                payloads[name] = .end(ended, timestamp: Sample.sixPM + 28 * 60, alert: ended.alert)
            }
        }
        let enRoute = Sample.Case(status: .enRoute, courierStatus: nil, flags: []).step
        let arriving = Sample.Case(status: .arriving, courierStatus: nil, flags: []).step
        let picking = Sample.Case(status: .picking, courierStatus: .toStore, flags: [.needsCustomer]).step
        let steps = [enRoute, arriving, picking].compactMap { step -> SummarizedDelivery? in
            guard case .show(let shown) = step else { return nil }
            return SummarizedDelivery(shown)
        }
        payloads["update-en_route"] = .update(steps[0].shown, timestamp: Sample.sixPM + 901, alert: nil)
        payloads["end-immediately-en_route"] = .endImmediately(enRoute, timestamp: Sample.sixPM + 901)
        if case .show(let summary) = ActivityStep.summary(of: steps, activity: "summary-c-1-1", version: 3) {
            payloads["summary"] = .start(summary, timestamp: Sample.sixPM + 902, alert: nil)
            let ended = ActivityStep.endedSummary(
                summary.attributes, live: 1, version: 4, endedAt: Sample.sixPM + 27 * 60)
            if case .ended(let ended) = ended {
                payloads["summary-ended"] = .end(ended, timestamp: Sample.sixPM + 27 * 60, alert: nil)
            }
        }
        return payloads
    }()

    @Test("Each payload is the one that was reviewed", arguments: payloads.keys.sorted())
    func compare(name: String) throws {
        let payload = try #require(Self.payloads[name])
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        let text = String(decoding: try encoder.encode(payload), as: UTF8.self) + "\n"
        let file = Self.folder.appending(path: "\(name).json")
        if Self.isUpdating { try Data(text.utf8).write(to: file) }
        let golden = String(decoding: try Data(contentsOf: file), as: UTF8.self)
        #expect(text == golden, "run again with UPDATE_GOLDEN=1 and read the difference")
        let decoded = try JSONDecoder().decode(PushPayload.self, from: Data(golden.utf8))
        #expect(decoded == payload)
    }

    @Test("No golden file is left of a payload that is not made any more")
    func unexpected() throws {
        let files = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
        let expected = Set(Self.payloads.keys.map { "\($0).json" })
        let unexpected = Set(files).subtracting(expected)
        if Self.isUpdating {
            for file in unexpected { try FileManager.default.removeItem(at: Self.folder.appending(path: file)) }
        }
        #expect(Self.isUpdating || unexpected.isEmpty, "\(unexpected.sorted())")
    }
}
