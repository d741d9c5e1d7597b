import DoorstepAPI
import FlowControl
import Foundation
import LiveActivity
import Testing

@testable import ActivityDispatch

@Suite("A device and the results of its starts")
struct DeviceStartTests {
    private func device(after results: [PushResult]) -> Device {
        var device = Device.any()
        for result in results {
            device.starts.spend(Limits.apns.starts, at: noon)
            device.recordStart(result, now: noon)
        }
        return device
    }

    @Test(
        "A start that certainly made no card costs nothing",
        arguments: [
            PushResult.notSent("no connection"), .refused(reason: "TooManyRequests"), .halted(reason: "Forbidden"),
            .gone(token: "ab"),
        ])
    func refunded(result: PushResult) {
        #expect(device(after: [result]).starts.tokens == 8)
    }

    @Test("A start that was taken, or may have been, costs one", arguments: [PushResult.accepted(), .unknown("reset")])
    func spent(result: PushResult) {
        #expect(device(after: [result]).starts.tokens == 7)
    }

    @Test("What was refused makes the device wait, until a start is taken or it has another token")
    func waits() {
        var device = device(after: [.refused(reason: "TooManyRequests")])
        #expect(device.startFailures.count == 1 && device.startFailures.retryAt == noon + 10)
        device.apply(.set("ab"))
        #expect(device.startFailures.retryAt == noon + 10)
        device.apply(.set("ef"))
        #expect(device.startFailures.count == 0 && device.startFailures.retryAt == nil)
        device = self.device(after: [.refused(reason: "TooManyRequests"), .accepted()])
        #expect(device.startFailures.count == 0 && device.startFailures.retryAt == nil)
    }

    @Test("Each reason has waits of its own")
    func waitsByReason() {
        let busy = PushResult.refused(reason: "TooManyRequests")
        #expect(device(after: [busy, busy]).startFailures.retryAt == noon + 20)
        #expect(
            device(after: [.notSent("no connection"), .notSent("timed out"), busy]).startFailures.retryAt == noon + 10)
    }

    @Test("A token that is gone and was uploaded since stays, and waits; another token is not concerned")
    func gone() {
        var device = device(after: [.gone(token: "ab", since: noon - 60)])
        #expect(device.pushToStartToken == "ab" && device.startFailures.retryAt == noon + 60)
        device = self.device(after: [.gone(token: "ef")])
        #expect(device.pushToStartToken == "ab" && device.startFailures.retryAt == nil)
    }

    @Test("A token keeps the environment that it was uploaded with")
    func environment() throws {
        let body = PushTokenBody(value: "ab", environment: .sandbox)
        #expect(try #require(PushToken(body, at: noon, wall: noon)).environment == .sandbox)
    }
}
