import DeliveryProviders
import Foundation
import OrderDomain
import SeededRandom
import SimulationSupport

/// One delivery that a provider brings: the shop says what the provider calls it, sooner or later, and the provider posts
/// each of its webhooks twice, in any order.
struct ProviderDrive: Sendable {
    let delivery: ProviderDelivery
    let shop: Shop
    var random: SeededGenerator

    private static let pauseBetweenAttempts = Duration.milliseconds(100)

    mutating func run() async throws {
        let webhooks = delivery.webhooks
        let namedAt = delivery.isNamedLate ? webhooks.count / 2 : 0
        for (index, webhook) in webhooks.enumerated() {
            if index == namedAt { try await name() }
            try await post(webhook)
            try await Task.sleep(for: .seconds(.random(in: 0...1, using: &random)))
        }
    }

    private func name() async throws {
        try await shop.gate.pass {
            while true {
                do {
                    try await delivery.setReference(on: shop.stack)
                    return await shop.book.named(delivery.id.rawValue)
                } catch let refused as RetryingClient.ResponseError where refused.status == 404 {
                    // `partners` has not heard of the delivery yet.
                    try await Task.sleep(for: Self.pauseBetweenAttempts)
                }
            }
        }
    }

    private func post(_ webhook: String) async throws {
        try await shop.gate.pass {
            do {
                try await delivery.account.post(webhook)
                await shop.book.reported(try delivery.reports(in: webhook), of: delivery.id.rawValue)
            } catch let refused as ProviderAccount.Refused {
                await shop.book.answeredUnexpectedly("a webhook of \(delivery.account.provider.rawValue): \(refused)")
            }
        }
    }
}
