import Foundation
import Testing

@testable import DoorstepDevice
@testable import ShopAppUIKit

@Suite("The sample app with UIKit's life cycle")
@MainActor
struct SampleUIKitAppTests {
    @Test("It has a device from its launch, says when it is in the foreground, and opens no URL but a card's")
    func app() async throws {
        let app = UIKitApp()
        let device = try #require(app.delegate.deliveries.device)
        app.becomeActive()
        while await !device.isInForeground { await Task.yield() }
        app.enterBackground()
        while await device.isInForeground { await Task.yield() }
        let url = try #require(URL(string: "https://evil.example/l/AQ"))
        app.connect(opening: url)
        #expect(try await app.delegate.deliveries.shown(url) == nil)
    }
}
