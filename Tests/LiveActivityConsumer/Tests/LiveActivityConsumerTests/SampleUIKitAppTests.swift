import Foundation
import Synchronization
import Testing

@testable import DoorstepDevice
@testable import ShopAppUIKit

// One at a time: the system has one delegate of the app.
@Suite("The sample app with UIKit's life cycle", .serialized)
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

    @Test(
        "A tap on a card is asked about, and so is a universal link, where it launches the app too",
        .timeLimit(.minutes(1)))
    func links() async throws {
        let server = AskedServer()
        let app = UIKitApp(deliveries: try server.deliveries())
        let ways: [@MainActor (URL) -> Void] = [
            { app.open($0) }, { app.continue($0) }, { app.connect(opening: $0) }, { app.connect(continuing: $0) },
        ]
        for (index, open) in ways.enumerated() {
            let link = try #require(URL(string: "https://go.nordhavn.example/l/A\(index)"))
            open(link)
            while server.asked.count <= index { await Task.yield() }
            #expect(server.asked.last == link)
        }
    }
}

/// A server that records the links that it is asked about, and cannot be reached.
private final class AskedServer: DeviceHTTPClient {
    private let links = Mutex<[URL]>([])

    var asked: [URL] { links.withLock { $0 } }

    func send(_ request: DeviceHTTPRequest) async throws -> DeviceHTTPResponse {
        links.withLock { $0.append(request.url) }
        throw URLError(.notConnectedToInternet)
    }

    /// The sample's side of its cards, with this server.
    func deliveries() throws -> Deliveries {
        let configuration = try #require(Deliveries().configuration)
        return Deliveries(
            device: DoorstepDevice(
                configuration, activities: ActivityKitActivities(), http: self, token: { "customer-token" }),
            configuration: configuration)
    }
}
