import DeliveryDiagnosis
import Foundation
import Testing

@Suite("Why a push was not taken")
struct PushReasonTests {
    @Test("Every reason of Apple's table has words and something to do")
    func reasons() throws {
        let table = try String(
            contentsOf: URL(filePath: #filePath).deletingLastPathComponent().appending(
                path: "../../Services/ActivityDispatchTests/Domain/Reconciler/PushResultTests.swift"), encoding: .utf8)
        let codes = Set(table.matches(of: /\((?:4|5)\d\d, "([A-Za-z]+)"/).map { String($0.output.1) })
        #expect(codes.count > 25)
        for code in codes {
            let reason = PushReason(code, of: "refused")
            #expect(reason.sentence.contains(code) && !reason.sentence.contains("Apple answers"), "\(code)")
            #expect(!reason.advice.isEmpty)
        }
        #expect(PushReason("Tomorrows", of: "refused").sentence == "Apple answers Tomorrows")
        let text = "the connection was reset"
        #expect(PushReason(text, of: "unknown").sentence.contains("no connection to Apple"))
        #expect(PushReason(text, of: "refused").advice.contains("fault of Doorstep"))
        for text in ["it was cancelled before it was sent", "it was cancelled after it was sent"] {
            #expect(PushReason(text, of: "unknown").sentence == PushReason("no answer in time", of: "unknown").sentence)
        }
        let redirected = PushReason("status-302", of: "refused")
        #expect(redirected.sentence.contains("something else (status-302)") && !redirected.isApples)
        #expect(redirected.advice.contains("apns.production.url"))
        #expect(PushReason("status-401", of: "halted").advice.contains("apns.key.file"))
    }
}
