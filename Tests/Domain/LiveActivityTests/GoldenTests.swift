import Foundation
import Testing

@testable import LiveActivity

@Suite("Golden payloads")
struct GoldenTests {
    static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Golden")
    static let isUpdating = ProcessInfo.processInfo.environment["UPDATE_GOLDEN"] == "1"

    /// A start for each live case, an end for each ended one, and one payload of each other kind.
    static let payloads: [String: PushPayload] = {
        var payloads: [String: PushPayload] = [:]
        for sample in Sample.cases {
            switch sample.step {
            case .show(let shown):
                payloads["\(sample)"] = .start(shown, timestamp: Sample.sixPM + 900, alert: shown.alert)
            case .ended(let ended):
                payloads["\(sample)"] = .end(ended, timestamp: Sample.sixPM + 28 * 60, alert: ended.alert)
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
