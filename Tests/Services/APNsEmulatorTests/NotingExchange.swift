import Foundation
import NIOHTTP1
import Synchronization

@testable import APNsEmulator

/// Notes what it is asked, and answers with what is wanted; by default that nothing is to be done.
final class NotingExchange: AppExchange {
    let requests = Mutex<[String]>([])
    let wanted: Mutex<String>
    /// What is answered to reports.
    private let answers: Mutex<[String: String]> = Mutex([:])
    private let pressed: PressOutcome

    init(wanted: String = "", pressed: PressOutcome = PressOutcome(message: "Done", content: nil)) {
        self.wanted = Mutex(wanted)
        self.pressed = pressed
    }

    /// Answers each report that names an instance with an action.
    func answer(_ instance: String, _ action: String) { answers.withLock { $0[instance] = action } }

    func press(_ link: String) async throws -> PressOutcome {
        requests.withLock { $0.append("press \(link)") }
        return pressed
    }

    func send(_ method: HTTPMethod, _ path: String, _ body: Data?) async throws -> Data {
        requests.withLock { $0.append("\(method) \(path) \(String(decoding: body ?? Data(), as: UTF8.self))") }
        let answers = answers.withLock(\.self).map { #"{"instance":"\#($0.key)","action":"\#($0.value)"}"# }
        return Data(
            #"{"activities": [\#(wanted.withLock(\.self))], "instances": [\#(answers.joined(separator: ","))]}"#.utf8)
    }
}
