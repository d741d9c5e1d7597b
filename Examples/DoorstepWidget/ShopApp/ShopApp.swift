import SwiftUI

@main
struct ShopApp: App {
    private let deliveries = Deliveries()

    // Not in a view's task: a push that starts a card launches the app in the background, where no view appears.
    init() { deliveries.follow() }

    var body: some Scene {
        WindowGroup {
            DeliveryView(deliveries: deliveries)
        }
    }
}
