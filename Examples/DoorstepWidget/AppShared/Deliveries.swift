import AppIntents
import DoorstepDevice
import Foundation
import LiveActivity

/// The app's side of its customer's cards.
struct Deliveries: Sendable {
    /// Nil before iOS 16.2: the app works without cards.
    let device: DoorstepDevice?
    let configuration: DeviceConfiguration?
}

extension Deliveries {
    init() {
        guard let server = URL(string: "https://cards.nordhavn.example"),
            let links = URL(string: "https://go.nordhavn.example"), #available(iOS 16.2, *)
        else {
            device = nil
            configuration = nil
            return
        }
        #if DEBUG
            let environment = PushTokenBody.Environment.sandbox
        #else
            let environment = PushTokenBody.Environment.production
        #endif
        let configuration = DeviceConfiguration(
            serverURL: server, linkOrigins: [links], pushEnvironment: environment)
        self.configuration = configuration
        device = DoorstepDevice(
            configuration, activities: ActivityKitActivities(), token: { try await ShopAccount.customerToken() },
            onProblem: { problem in print("Doorstep refused: \(problem.localizedDescription)") })
    }

    /// Follows the cards for as long as the app runs, and presses the buttons of cards.
    func follow() {
        guard let device else { return }
        AppDependencyManager.shared.add(
            dependency: CardPressing { link, activity in _ = await device.pressOnCard(link, activity: activity) })
        // Ends with the app: nobody waits for it.
        Task { await device.run() }
    }

    func becameActive() async { await device?.enteredForeground() }

    func enteredBackground() async { await device?.leftForeground() }

    /// What a URL that the app was opened with stands for; nil where it is none of a card's.
    func shown(_ url: URL) async throws -> LinkAnswer? {
        guard let device, configuration?.isLink(url) == true else { return nil }
        return try await device.link(url)
    }

    func press(_ url: URL) async throws -> LinkAnswer? { try await device?.press(url) }
}

/// The shop's own sign-in.
enum ShopAccount {
    /// The token that the shop's backend got from `POST /v1/tokens`, a new one once the old has expired.
    static func customerToken() async throws -> String { "from the shop's backend" }
}
