import DoorstepDevice
import Foundation
import SwiftUI

/// Shows what a link of a card stands for, asks, and does it.
struct DeliveryView: View {
    let deliveries: Deliveries
    @Environment(\.scenePhase) private var scenePhase
    @State private var opened: URL?
    @State private var answer: LinkAnswer?
    @State private var refusal: String?

    var body: some View {
        VStack {
            if let refusal {
                Text(refusal)
            }
            if let answer {
                Text(answer.why ?? answer.message)
                if answer.isPressable {
                    Button {
                        Task { await press() }
                    } label: {
                        Text(answer.message)
                    }
                }
            }
        }
        .task(id: scenePhase) { await sceneChanged() }
        .onOpenURL { url in
            Task { await open(url) }
        }
    }

    private func sceneChanged() async {
        switch scenePhase {
        case .active: await deliveries.becameActive()
        case .background: await deliveries.enteredBackground()
        default: break
        }
    }

    private func open(_ url: URL) async {
        opened = url
        await show { try await deliveries.shown(url) }
    }

    private func press() async {
        guard let opened else { return }
        await show { try await deliveries.press(opened) }
    }

    private func show(_ ask: () async throws -> LinkAnswer?) async {
        do {
            answer = try await ask()
            refusal = nil
        } catch {
            refusal = error.localizedDescription
        }
    }
}
