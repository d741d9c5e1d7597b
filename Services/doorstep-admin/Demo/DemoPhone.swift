import APIClient
import EmulatorAPI
import Foundation
import NIOHTTP1
import StackClient
import WireCoding

/// The emulated iPhone of the demo, and its owner.
struct DemoPhone: Sendable {
    /// The phone's id in `make demo`.
    static let id = "iphone-1"

    /// The URL of the emulator's control API.
    let url: String

    /// - Returns: nil where the stack has no emulated phones.
    init?(environment: [String: String]) {
        guard let url = environment["DOORSTEP_PHONES_URL"], !url.isEmpty else { return nil }
        self.url = url
    }

    func act(_ action: PhoneActionBody) async throws {
        let json = try WireJSON.encode(action)
        _ = try await APIClient.with { client in
            try await APIClient(client).send(.POST, "\(url)/phones/\(Self.id)/actions", token: nil, json: json)
                .decode(EmulatedPhoneBody.self)
        }
    }
}
