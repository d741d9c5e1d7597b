import SwiftUI
import WidgetKit

/// The widget extension: one Live Activity.
@main
struct DeliveryWidgetBundle: WidgetBundle {
    var body: some Widget {
        DeliveryWidget()
    }
}
