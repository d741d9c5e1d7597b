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
}
