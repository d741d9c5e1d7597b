import CommandOutput
import DoorstepAPI
import Foundation
import TimePresentation
import WireCoding

extension ForwardedEventBody {
    /// The event that was posted to a program on this machine as a line to print: the time, its type, its id, and the
    /// program's answer, or the reason without one.
    ///
    /// - Parameter timeZone: of the stores.
    func line(_ answer: LocalReceiver.Answer, at time: Date, in timeZone: TimeZone) -> String {
        let id = headers.first { $0.key.lowercased() == "webhook-id" }?.value ?? "no id"
        // The line names the type where the body has one; the program itself judges the body.
        let type = (try? WireJSON.decode(Head.self, from: Data(body.utf8)))?.type ?? "no type"
        let outcome =
            switch answer {
            case .status(let status): String(status)
            case .absent(let reason): "no answer: the program \(reason)"
            }
        let at = StoreTimes(timeZone: timeZone, now: time).text(time, withSeconds: true)
        return [at, type, id, outcome].joined(separator: "  ").safeOnTerminal
    }

    private struct Head: Decodable {
        let type: String
    }
}
