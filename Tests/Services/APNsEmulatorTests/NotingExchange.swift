import Foundation
import NIOHTTP1
import Synchronization

@testable import APNsEmulator

/// Notes what it is asked, and answers with what is wanted; by default that nothing is to be done.
final class NotingExchange: AppExchange {
    let requests = Mutex<[String]>([])
    private let wanted: String
    private let pressed: AppPressed

    init(wanted: String = "", pressed: AppPressed = AppPressed(message: "Done", content: nil)) {
        self.wanted = wanted
        self.pressed = pressed
    }

    func press(_ link: String) async throws -> AppPressed {
        requests.withLock { $0.append("press \(link)") }
        return pressed
    }

    func send(_ method: HTTPMethod, _ path: String, _ body: Data?) async throws -> Data {
        requests.withLock { $0.append("\(method) \(path) \(String(decoding: body ?? Data(), as: UTF8.self))") }
        return Data(#"{"activities": [\#(wanted)]}"#.utf8)
    }
}
