// Every status in every presentation, for Xcode's canvas; the macro is Apple's, so that no other compiler sees this file.
#if os(iOS)
    import LiveActivity
    import SwiftUI
    import WidgetKit

    @available(iOS 17.0, *)
    #Preview("Lock Screen", as: .content, using: PreviewDeliveries.attributes) {
        DeliveryWidget()
    } contentStates: {
        PreviewDeliveries.state(.placed)
        PreviewDeliveries.state(.accepted)
        PreviewDeliveries.state(.picking)
        PreviewDeliveries.state(.staged)
        PreviewDeliveries.state(.pickedUp)
        PreviewDeliveries.state(.enRoute)
        PreviewDeliveries.state(.arriving)
        PreviewDeliveries.state(.atDoor)
        PreviewDeliveries.state(.attempted)
        PreviewDeliveries.state(.returning)
        PreviewDeliveries.state(.delivered)
        PreviewDeliveries.state(.returned)
        PreviewDeliveries.state(.cancelled)
        PreviewDeliveries.state(.failed)
    }

    @available(iOS 17.0, *)
    #Preview("Island, compact", as: .dynamicIsland(.compact), using: PreviewDeliveries.attributes) {
        DeliveryWidget()
    } contentStates: {
        PreviewDeliveries.state(.placed)
        PreviewDeliveries.state(.accepted)
        PreviewDeliveries.state(.picking)
        PreviewDeliveries.state(.staged)
        PreviewDeliveries.state(.pickedUp)
        PreviewDeliveries.state(.enRoute)
        PreviewDeliveries.state(.arriving)
        PreviewDeliveries.state(.atDoor)
        PreviewDeliveries.state(.attempted)
        PreviewDeliveries.state(.returning)
        PreviewDeliveries.state(.delivered)
        PreviewDeliveries.state(.returned)
        PreviewDeliveries.state(.cancelled)
        PreviewDeliveries.state(.failed)
    }

    @available(iOS 17.0, *)
    #Preview("Island, expanded", as: .dynamicIsland(.expanded), using: PreviewDeliveries.attributes) {
        DeliveryWidget()
    } contentStates: {
        PreviewDeliveries.state(.placed)
        PreviewDeliveries.state(.accepted)
        PreviewDeliveries.state(.picking)
        PreviewDeliveries.state(.staged)
        PreviewDeliveries.state(.pickedUp)
        PreviewDeliveries.state(.enRoute)
        PreviewDeliveries.state(.arriving)
        PreviewDeliveries.state(.atDoor)
        PreviewDeliveries.state(.attempted)
        PreviewDeliveries.state(.returning)
        PreviewDeliveries.state(.delivered)
        PreviewDeliveries.state(.returned)
        PreviewDeliveries.state(.cancelled)
        PreviewDeliveries.state(.failed)
    }

    @available(iOS 17.0, *)
    #Preview("Island, minimal", as: .dynamicIsland(.minimal), using: PreviewDeliveries.attributes) {
        DeliveryWidget()
    } contentStates: {
        PreviewDeliveries.state(.placed)
        PreviewDeliveries.state(.accepted)
        PreviewDeliveries.state(.picking)
        PreviewDeliveries.state(.staged)
        PreviewDeliveries.state(.pickedUp)
        PreviewDeliveries.state(.enRoute)
        PreviewDeliveries.state(.arriving)
        PreviewDeliveries.state(.atDoor)
        PreviewDeliveries.state(.attempted)
        PreviewDeliveries.state(.returning)
        PreviewDeliveries.state(.delivered)
        PreviewDeliveries.state(.returned)
        PreviewDeliveries.state(.cancelled)
        PreviewDeliveries.state(.failed)
    }
#endif
