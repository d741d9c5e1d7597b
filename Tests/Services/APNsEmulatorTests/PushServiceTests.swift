import EmulatorAPI
import LiveActivity
import NIOHPACK
import PhoneRules
import Testing

@testable import APNsEmulator

@Suite("Answers of the service")
struct PushServiceTests {
    static let noon = 1_795_262_400
    let noon = PushServiceTests.noon
    let key = ProviderKey()
    let clock = EmulatorClock(rate: 0, origin: Double(PushServiceTests.noon), wall: { Double(PushServiceTests.noon) })
    let service: PushService
    let fleet: PhoneFleet

    init() throws {
        fleet = PhoneFleet(clock: clock)
        service = PushService(keys: [key.signingKey], fleet: fleet, clock: clock)
        var new = NewEmulatedPhoneBody(id: "p", bundleID: "shop.nordhavn.app")
        new.endedTokenSeconds = 60
        #expect(fleet.add(try new.phone(at: noon)) == .added)
    }

    private func token() throws -> String { try #require(try fleet.phone("p").phone.startToken) }

    private func answer(
        token: String, topic: String = "shop.nordhavn.app.push-type.liveactivity", body: [UInt8]? = nil,
        environment: APNsEnvironment = .production
    ) throws -> PushService.Answer {
        let request = PushRequest([
            ":method": "POST", ":path": "/3/device/\(token)", "apns-topic": topic, "apns-push-type": "liveactivity",
            "authorization": try key.bearer(issuedAt: noon),
        ])
        var authentication = ConnectionAuthentication()
        return service.answer(
            request, id: "id", body: body ?? Pushes.body("start", at: noon), environment: environment,
            authentication: &authentication)
    }

    private func refusal(_ answer: PushService.Answer) -> (status: Int, reason: String, since: Int?)? {
        if case .refused(let status, let reason, let since, _) = answer { (status, reason, since) } else { nil }
    }

    @Test("A push to a phone's token is accepted and shown")
    func accepted() throws {
        guard case .accepted = try answer(token: token()) else {
            Issue.record("not accepted")
            return
        }
        #expect(try fleet.phone("p").phone.activities.count == 1)
        #expect(try fleet.phone("p").counts == ["applied": 1])
    }

    @Test("A token is good in its own environment and for its own topic only")
    func otherTokens() throws {
        let token = try token()
        #expect(refusal(try answer(token: "00ff"))?.reason == "BadDeviceToken")
        #expect(refusal(try answer(token: token, environment: .sandbox))?.reason == "BadDeviceToken")
        let other = "other.app.push-type.liveactivity"
        #expect(refusal(try answer(token: token, topic: other))?.reason == "DeviceTokenNotForTopic")
        #expect(refusal(try answer(token: token, topic: "shop.nordhavn.app"))?.reason == "DeviceTokenNotForTopic")
    }

    @Test("A body that is empty or no push is refused, and one above 4 KB too")
    func bodies() throws {
        let token = try token()
        #expect(refusal(try answer(token: token, body: []))?.reason == "PayloadEmpty")
        #expect(refusal(try answer(token: token, body: Array("{}".utf8)))?.reason == "PayloadEmpty")
        let large = refusal(try answer(token: token, body: [UInt8](repeating: 32, count: 4097)))
        #expect(large?.status == 413)
        #expect(large?.reason == "PayloadTooLarge")
    }

    @Test("A token that was replaced is expired, with the time of it")
    func expired() throws {
        let token = try token()
        try fleet.change("p") { $0.rotate(.start, at: $1) }
        #expect(clock.set(now: noon + 100))
        let gone = refusal(try answer(token: token))
        #expect(gone?.status == 410)
        #expect(gone?.reason == "ExpiredToken")
        #expect(gone?.since == noon)
    }

    @Test("The token of a card that is over is unregistered after a while, with the time of its end")
    func unregistered() throws {
        _ = try answer(token: token())
        let card = try #require(try fleet.phone("p").phone.activities.first)
        let token = try #require(card.updateToken)
        #expect(clock.set(now: noon + 100))
        try fleet.change("p") { $0.swipe(instance: card.instance, at: $1) }
        let update = Pushes.body("update", at: noon + 101)
        #expect(refusal(try answer(token: token, body: update)) == nil)
        #expect(clock.set(now: noon + 160))
        let gone = refusal(try answer(token: token, body: update))
        #expect(gone?.reason == "Unregistered")
        #expect(gone?.since == noon + 100)
    }

    @Test("The tokens of a phone that was deleted are unregistered since then")
    func deleted() throws {
        let token = try token()
        try fleet.remove("p")
        #expect(refusal(try answer(token: token))?.reason == "Unregistered")
        #expect(refusal(try answer(token: token))?.since == noon)
    }

    // MARK: Faults

    @Test("Every reason of Apple's table can be scripted, with its own status", arguments: RefusalReason.allCases)
    func everyReason(reason: RefusalReason) throws {
        var fault = Fault(kind: .answer)
        fault.reason = reason.rawValue
        fault.times = 1
        #expect(fault.complaint == nil)
        #expect(service.add(fault))
        let answered = refusal(try answer(token: token()))
        #expect(answered?.reason == reason.rawValue)
        #expect(answered?.status == reason.status)
        #expect(try fleet.phone("p").phone.activities.isEmpty, "a refused push reaches nobody")
        #expect(refusal(try answer(token: token())) == nil, "it was scripted once")
    }

    @Test("A reason that Apple never gave can be scripted too, and a wait")
    func anyReason() throws {
        var fault = Fault(kind: .answer)
        fault.status = 599
        fault.reason = "Gremlins"
        fault.retryAfter = 7
        #expect(service.add(fault))
        guard case .refused(599, "Gremlins", nil, 7) = try answer(token: token()) else {
            Issue.record("another answer")
            return
        }
    }

    @Test("A fault meets the tokens, phones and events that it names, and no other")
    func matching() throws {
        var fault = Fault(kind: .answer)
        fault.reason = "TooManyRequests"
        fault.phone = "q"
        #expect(service.add(fault))
        fault.phone = "p"
        fault.event = "end"
        #expect(service.add(fault))
        fault.event = nil
        fault.phone = nil
        fault.token = "00FF"
        #expect(service.add(fault))
        #expect(refusal(try answer(token: token())) == nil)
        let update = try #require(try fleet.phone("p").phone.activities.first?.updateToken)
        let end = Pushes.body("end", at: noon + 1)
        #expect(refusal(try answer(token: update, body: end))?.reason == "TooManyRequests")
    }

    @Test("A share of requests meets a fault: about as many as asked, the same for the same seed")
    func share() throws {
        var script = FaultScript(seed: 3)
        var fault = Fault(kind: .silence)
        fault.share = 0.25
        let isAdded = script.add(fault)
        #expect(isAdded)
        let met = (0..<1000).reduce(0) { count, _ in
            script.next(token: nil, phone: nil, event: nil) == nil ? count : count + 1
        }
        #expect((200...300).contains(met))
    }

    @Test("A push that is met by silence reaches the phone where the script asks for it", arguments: [false, true])
    func silence(applies: Bool) throws {
        var fault = Fault(kind: .silence)
        fault.applies = applies
        #expect(service.add(fault))
        guard case .silence = try answer(token: token()) else {
            Issue.record("answered")
            return
        }
        #expect(try fleet.phone("p").phone.activities.isEmpty == !applies)
    }

    @Test("A fault that cannot be is refused with what is wrong with it")
    func complaints() {
        #expect(Fault(kind: .answer).complaint?.hasPrefix("status:") == true)
        #expect(Fault(kind: .delay).complaint?.hasPrefix("delayMilliseconds:") == true)
        var fault = Fault(kind: .silence)
        fault.share = 2
        #expect(fault.complaint?.hasPrefix("share:") == true)
        fault.share = nil
        fault.times = 0
        #expect(fault.complaint?.hasPrefix("times:") == true)
    }

    @Test("Faults are bounded")
    func bounded() {
        for _ in 0..<FaultScript.faultsMax { #expect(service.add(Fault(kind: .silence))) }
        #expect(!service.add(Fault(kind: .silence)))
        service.removeFaults()
        #expect(service.faults.isEmpty)
    }
}
