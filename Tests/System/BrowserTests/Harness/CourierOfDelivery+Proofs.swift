import BrowserSupport
import Foundation
import OrderDomain
import Testing

extension CourierOfDelivery {
    /// With the goods at the door.
    init(atDoorOf delivery: OpenDelivery) async throws {
        try await self.init(of: delivery)
        try await open()
        try await pressAnswered(.pickedUp)
        try await press(.atDoor)
        try await waitUntil(.atDoor)
    }

    /// A photo with what a camera writes beside it.
    private static var photo: String {
        URL(filePath: #filePath).deletingLastPathComponent().appending(path: "door.jpg").path
    }

    func give(_ kind: ProofKind) async throws {
        let id = delivery.id
        switch kind {
        case .photo: try await page.type(Self.photo, into: "[id=\"photo-picture-\(id)\"]")
        case .signature:
            try await page.click("[id=\"signature-\(id)\"] summary")
            try await page.draw(
                on: "[id=\"signature-drawing-\(id)\"]", through: [(-80, 20), (-40, -30), (0, 30), (40, -20), (90, 10)])
            try await page.click("[data-takes=\"signature-drawing-\(id)\"]")
        case .pin, .age, .barcode: Issue.record("\(kind) is no picture")
        }
    }

    func give(pin: String) async throws {
        try await page.type(pin, into: "[id=\"pin-digits-\(delivery.id)\"]")
        try await page.click("[id=\"pin-\(delivery.id)\"] button")
    }
}
