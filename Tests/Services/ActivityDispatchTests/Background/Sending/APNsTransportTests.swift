import APNsClient
import Crypto
import Foundation
import LiveActivity
import Logging
import ProcessSettings
import TestSupport
import Testing
import WireCoding

@testable import ActivityDispatch

@Suite("Pushes through Apple")
struct APNsTransportTests {
    private let device = Device.any()
    private let id = UUID()

    private func transport() throws -> APNsTransport {
        let key = try ProviderKey(
            pem: P256.Signing.PrivateKey().pemRepresentation, source: "test.p8", keyID: "ABCDE12345",
            teamID: "TEAM567890")
        let id = id
        return APNsTransport(
            client: try APNsClient(APNsConfiguration(key: key), logger: .silent),
            bundleID: try BundleID("shop.nordhavn.app"), limits: .apns, newID: { id })
    }

    /// A push as it is leased, with the token that the card or the device has.
    private func push(
        _ decision: Decision, _ step: ActivityStep = .shows(1, activity: "a1"), startedAt: Date? = nil
    ) throws -> (push: Push, card: Card) {
        let activity = Activity(step)
        var card = Card.any(of: activity, on: device, .active, startedAt: startedAt)
        let now = noon
        let leased = card.lease(decision, step, limits: .apns, now: now)
        var push = try #require(leased)
        push.token = push.event == .start ? device.pushToStartToken : card.updateToken
        try push.check()
        return (push, card)
    }

    @Test("A request has the app's topic, the token with its environment, and the bytes that were checked")
    func request() throws {
        let (start, card) = try push(.start(alert: nil))
        let request = try #require(try transport().request(for: start, to: card, on: device))
        #expect(request.token == "ab" && request.environment == .production && request.id == id)
        #expect(request.topic == "shop.nordhavn.app.push-type.liveactivity")
        #expect(request.priority == .immediate)
        #expect(try PushPayload(decoding: request.body) == start.payload)

        var other = device
        other.bundleID = try BundleID("shop.nordhavn.beta")
        var sandboxed = start
        sandboxed.token = PushToken(value: "0f", environment: .sandbox, observedAt: noon, registeredAt: noon)
        let second = try #require(try transport().request(for: sandboxed, to: card, on: other))
        #expect(second.topic == "shop.nordhavn.beta.push-type.liveactivity")
        #expect(second.token == "0f" && second.environment == .sandbox)
    }

    @Test("A push without a token, or whose payload was not checked, is not sent, and waits until it is mended")
    func unchecked() async throws {
        var (push, card) = try push(.start(alert: nil))
        push.token = nil
        let transport = try transport()
        let mistake = PushResult.mistake("it has no token, or its payload was not checked")
        #expect(await transport.send(push, to: card, on: device) == mistake)
        let leased = card.lease(.update(.low, alert: nil), .shows(1), limits: .apns, now: noon)
        var unchecked = try #require(leased)
        unchecked.token = "ab"
        #expect(transport.request(for: unchecked, to: card, on: device) == nil)
    }

    @Test("An end whose content was left out is sent with the bytes of what is left")
    func endAtOnce() throws {
        var (push, card) = try push(.end(dismissal: 60, becomes: .ended, alert: nil), .ends(2, at: noon))
        try push.endAtOnce()
        let request = try #require(try transport().request(for: push, to: card, on: device))
        let payload = try PushPayload(decoding: request.body)
        #expect(payload.aps.event == .end && payload.aps.dismissalDate == 0 && payload.aps.contentState.buttons.isEmpty)
    }

    @Test("A start is kept for ten minutes, an update until it is stale, an end for as long as its card may be seen")
    func expiration() throws {
        let shown = ActivityStep.shows(1, activity: "a1")
        guard case .show(let state) = shown else { return }
        let (start, starting) = try push(.start(alert: nil))
        #expect(start.expiration(of: starting) == noon.epochSeconds + 600)
        let (update, updated) = try push(.update(.low, alert: nil), startedAt: noon - 3600)
        #expect(update.expiration(of: updated) == max(state.staleAt, noon.epochSeconds + 600))
        let (stale, card) = try push(
            .update(.low, alert: nil), .shows(1, activity: "a1", staleAt: noon.epochSeconds + 60), startedAt: noon)
        #expect(stale.expiration(of: card) == noon.epochSeconds + 600)
        let request = try #require(try transport().request(for: update, to: updated, on: device))
        #expect(request.priority == .opportunistic && request.expiration == update.expiration(of: updated))
        let (end, ended) = try push(
            .end(dismissal: 0, becomes: .dismissed, alert: nil), startedAt: noon - 3600)
        #expect(end.expiration(of: ended) == noon.epochSeconds + 11 * 3600)
    }

    @Test(
        "What became of a request says what to do about its card",
        arguments: [
            (
                .accepted(id: UUID(uuidString: "6F9619FF-8B86-D011-B42D-00CF4FC964FF")!),
                .accepted(id: UUID(uuidString: "6F9619FF-8B86-D011-B42D-00CF4FC964FF")!)
            ),
            (.notSent(.noConnection("refused")), .notSent("there is no connection to APNs: refused")),
            (.notSent(.streamRefused), .notSent("APNs refused the stream")),
            (
                .notSent(.noProviderToken("no entropy")),
                .halted(reason: "no provider token could be signed: no entropy")
            ),
            (
                .notSent(.bodyTooLarge(bytes: 5000)),
                .mistake("the body has 5000 bytes, APNs takes 4096")
            ),
            (.unknown(.streamReset(code: 8)), .unknown("APNs reset the stream with code 8")),
            (
                .refused(.init(status: 429, reason: .tooManyRequests, retryAfter: .seconds(30))),
                .refused(reason: "TooManyRequests", retryAfter: 30)
            ),
            (
                .refused(.init(status: 410, reason: .unregistered, since: noon)),
                .gone(token: "ab", since: noon, reason: "Unregistered")
            ),
            (.refused(.init(status: 400, reason: .badDeviceToken)), .gone(token: "ab", reason: "BadDeviceToken")),
            (.refused(.init(status: 403, reason: .invalidProviderToken)), .halted(reason: "InvalidProviderToken")),
            (.refused(.init(status: 401, reason: .other(""))), .halted(reason: "status-401")),
            (.refused(.init(status: 302, reason: .other(""))), .refused(reason: "status-302")),
            (.refused(.init(status: 404, reason: .other(""))), .mistake("status-404")),
            (
                .refused(.init(status: 400, reason: .other("NewReason"))),
                .mistake("NewReason")
            ),
        ] as [(APNsResult, PushResult)])
    func results(result: APNsResult, expected: PushResult) {
        #expect(PushResult(result, token: "ab") == expected)
    }

    @Test("Every refusal that only a changed configuration mends opens the circuit")
    func configuration() {
        let statuses = (300..<600).map { APNsRefusal(status: $0, reason: .other("Tomorrow's")) }
        let reasons: [APNsReason] = [
            .badTopic, .missingTopic, .topicDisallowed, .badCertificate, .badCertificateEnvironment,
            .badEnvironmentKeyID, .forbidden, .invalidProviderToken, .missingProviderToken,
        ]
        for refusal in statuses + reasons.map({ APNsRefusal(status: 400, reason: $0) }) {
            let result = PushResult(.refused(refusal), token: "ab")
            #expect((result.code == "halted") == (refusal.remedy == .fixConfiguration), "\(refusal)")
        }
    }
}
