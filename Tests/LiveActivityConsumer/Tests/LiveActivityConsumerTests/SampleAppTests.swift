import DoorstepDevice
import Foundation
import SwiftUI
import Testing

@testable import ShopApp

// Not in the widget's tests: both have the files that they share.
@Suite("The sample app")
@MainActor
struct SampleAppTests {
    @Test("It draws, and takes no URL but a card's")
    func app() async throws {
        let deliveries = Deliveries()
        #expect(Drawing(DeliveryView(deliveries: deliveries)).lines.isEmpty)
        let url = try #require(URL(string: "https://evil.example/l/AQ"))
        #expect(try await deliveries.shown(url) == nil)
    }

    /// - Parameter more: further fields, each followed by a comma.
    private static func answer(_ delivery: String, _ more: String = "") throws -> LinkAnswer {
        let text = #"""
            {\#(more)"verb":"cancel","delivery":"\#(delivery)","message":"Cancel this delivery","isPressable":true,
             "attributes":{"activity":"a-1","store":"Nordhavn","itemCount":14,"timeZone":"Europe/Copenhagen"},
             "content":{"headline":{"code":"picking","values":{},"text":"Picking"},"phase":"picking","progress":0.2,
                        "flags":[],"buttons":[],"revision":{"version":3,"step":0}}}
            """#
        return try JSONDecoder().decode(LinkAnswer.self, from: Data(text.utf8))
    }

    @Test("It shows the details, and links that reach the courier and the store")
    func reaches() throws {
        let plain = try Self.answer("d-1")
        #expect(Drawing(AnswerLines(answer: plain)).lines.isEmpty)
        let answer = try Self.answer(
            "d-1",
            #"""
            "phone":"+45 20 12 (34) 56","details":[{"code":"","values":{},"text":"2 × Milk"}],
            "store":{"call":"tel:+4512345678","web":"https://nordhavn.example/ask","mail":"mailto:a@nordhavn.example"},
            """#)
        #expect(
            Drawing(AnswerLines(answer: answer)).lines == [
                "2 × Milk", "link tel:+4520123456", "Call the courier", "link tel:+4512345678", "Call the store",
                "link https://nordhavn.example/ask", "Ask the store", "link mailto:a@nordhavn.example",
                "Write to the store",
            ])
    }

    @Test("It shows a button of the opened link alone, and leaves it after a failed press")
    func openedLink() throws {
        let former = try #require(URL(string: "https://go.nordhavn.example/l/A"))
        let link = try #require(URL(string: "https://go.nordhavn.example/l/B"))
        let (ofFormer, ofLink) = (try Self.answer("d-1"), try Self.answer("d-2"))
        var opened = OpenedLink()
        opened.open(former)
        opened.note(.success(ofFormer), of: former)
        #expect(opened.answer == ofFormer && opened.url == former)

        opened.open(link)
        #expect(opened.answer == nil && opened.url == link)
        opened.note(.failure(URLError(.timedOut)), of: link)
        #expect(opened.answer == nil && opened.refusal != nil)
        opened.note(.success(ofFormer), of: former)
        #expect(opened.answer == nil && opened.refusal != nil, "an answer for the former link is late")
        opened.note(.success(ofLink), of: link)
        #expect(opened.answer == ofLink && opened.refusal == nil)
        opened.note(.failure(URLError(.timedOut)), of: link)
        #expect(opened.answer == ofLink && opened.refusal != nil, "it may be pressed again")
    }
}
