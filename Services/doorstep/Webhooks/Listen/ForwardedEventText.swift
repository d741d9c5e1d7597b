import CommandOutput
import DoorstepAPI
import Foundation
import TimePresentation
import WireCoding

/// An event that was posted to a program on this machine as a line to print: when, its type, its id, and what the program
/// answered, or why it did not.
struct ForwardedEventText {
    let line: String

    /// - Parameter timeZone: of the person who reads it.
    init(_ event: ForwardedEventBody, _ answer: LocalReceiver.Answer, at time: Date, in timeZone: TimeZone) {
        let id = event.headers.first { $0.key.lowercased() == "webhook-id" }?.value ?? "no id"
        let type = (try? WireJSON.decode(Head.self, from: Data(event.body.utf8)))?.type ?? "no type"
        let outcome =
            switch answer {
            case .status(let status): String(status)
            case .absent(let reason): "no answer: the program \(reason)"
            }
        let at = StoreTimes(timeZone: timeZone, now: time).text(time, withSeconds: true)
        line = [at, type, id, outcome].joined(separator: "  ").safeOnTerminal
    }

    private struct Head: Decodable {
        let type: String
    }
}
