import DoorstepDevice
import Foundation
import SwiftUI

/// Shows what a link of a card stands for, asks, and does it.
struct DeliveryView: View {
    let deliveries: Deliveries
    @Environment(\.scenePhase) private var scenePhase
    @State private var opened = OpenedLink()

    var body: some View {
        VStack {
            if let refusal = opened.refusal {
                Text(refusal)
            }
            if let answer = opened.answer, let url = opened.url {
                Text(answer.why ?? answer.message)
                AnswerLines(answer: answer)
                if answer.isPressable {
                    Button {
                        Task { await press(url) }
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
        opened.open(url)
        await show(url) { try await deliveries.shown(url) }
    }

    private func press(_ url: URL) async { await show(url) { try await deliveries.press(url) } }

    private func show(_ url: URL, _ ask: () async throws -> LinkAnswer?) async {
        do {
            opened.note(.success(try await ask()), of: url)
        } catch {
            opened.note(.failure(error), of: url)
        }
    }
}
