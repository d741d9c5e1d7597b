import Foundation
import LiveActivity
import PhoneRules

/// A phone that reads its stream, loses the connection and resumes, and checks what it must never show.
struct Screen {
    private(set) var phone = Phone()
    private(set) var faults: [String] = []
    private var lastID = 0
    private var seenIDs: Set<Int> = []
    private var shown: [String: (revision: Revision, timestamp: Int, isEnded: Bool)] = [:]

    init(faults: [String] = []) { self.faults = faults }

    /// Forgets everything, as after the app was deleted and installed again under the same id.
    mutating func startAnew() { self = Screen(faults: faults) }

    /// Reads some of what the stream has after the last id; then the connection breaks, to be resumed there.
    mutating func read(_ device: DispatchedDevice, at now: Date, upTo countMax: Int) throws {
        let seconds = Int(now.timeIntervalSince1970)
        for (id, data) in device.stream(after: lastID, at: now).prefix(countMax) {
            if !seenIDs.insert(id).inserted { faults.append("id \(id) came twice") }
            if id <= lastID { faults.append("id \(id) came after \(lastID)") }
            lastID = id
            let event = try JSONDecoder().decode(DeviceEventBody.self, from: data)
            _ = phone.receive(event.payload, card: event.card, at: max(phone.now, seconds))
            check()
        }
        _ = phone.advance(to: max(phone.now, seconds))
        check()
    }

    private mutating func check() {
        for card in phone.rememberedCards {
            let isEnded = !card.state.isLive
            if let before = shown[card.id] {
                if card.content.revision < before.revision { faults.append("a card went back to an older revision") }
                if card.timestamp < before.timestamp { faults.append("a card went back in time") }
                if before.isEnded, !isEnded { faults.append("a card came back after its end") }
            }
            shown[card.id] = (card.content.revision, card.timestamp, isEnded)
        }
    }
}
