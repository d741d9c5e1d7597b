import Foundation

@testable import ActivityDispatch

/// The decision about a card beside others, which are given without it.
func decide(
    _ activity: Activity, _ card: Card, on device: Device, others: [ActivityCard], limits: Limits, now: Date
) -> Decision {
    let all = others + [ActivityCard(activity: activity, card: card)]
    return decide(activity, card, on: device, among: OtherCards(all), limits: limits, now: now)
}
