import ArgumentParser
import DoorstepAPI
import Foundation
import Testing
import WireCoding

@testable import Doorstep

@Suite("doorstep webhooks change")
struct ChangedEndpointTests {
    @Test(
        "An empty description removes the endpoint's, and one that is not given leaves it",
        arguments: [
            (["--description", ""], #"{"description":null}"#), (["--description", "till"], #"{"description":"till"}"#),
            (["--every-event"], #"{"events":[]}"#),
        ])
    func description(options: [String], json: String) throws {
        let body = try WebhooksChange.parse(["e-1"] + options).body
        #expect(String(decoding: try WireJSON.encode(body), as: UTF8.self) == json)
    }
}
