import Foundation
import WireCoding

/// The end of a page of timeline entries, as an opaque text.
struct TimelineCursor: RawRepresentable, Sendable {
    let position: Position

    struct Position: Codable, Sendable {
        /// The entry's time in microseconds since 1970, the database's precision.
        let at: Int
        let entry: Int
    }

    init(at: Date, entry: Int) {
        position = Position(at: Int((at.timeIntervalSince1970 * 1_000_000).rounded()), entry: entry)
    }

    init?(rawValue: String) {
        // The caller refuses a text that is no cursor, whatever is wrong in it.
        guard let data = Data(base64Encoded: rawValue), let position = try? WireJSON.decode(Position.self, from: data)
        else {
            return nil
        }
        self.position = position
    }

    var rawValue: String {
        // A position of numbers always encodes.
        (try? WireJSON.encode(position))?.base64EncodedString() ?? ""
    }

    var at: Date { Date(timeIntervalSince1970: Double(position.at) / 1_000_000) }
}
