import LiveActivity
import PhoneRules
import Testing

@Suite("Tokens, and the app that notices them")
struct PushedPhoneAppTests {
    let noon = Pushes.noon

    @Test("Before iOS 17.2 no token starts a card", arguments: [("17.1", false), ("17.2", true), ("18.0", true)])
    func pushToStart(version: String, isThere: Bool) throws {
        let device = Device(version: version)
        #expect((device.phone.startToken != nil) == isThere)
    }

    @Test(
        "From iOS 18 on a card has an update token only if its start asked for one",
        arguments: [("17.2", false, true), ("17.2", true, true), ("18.0", false, false), ("18.0", true, true)])
    func inputPushToken(version: String, asks: Bool, hasToken: Bool) {
        var device = Device(version: version)
        #expect(device.start { $0["input-push-token"] = asks ? 1 : nil } == .applied)
        #expect((device.phone.activities.first?.updateToken != nil) == hasToken)
    }

    @Test("A start that names a channel does nothing before iOS 18", arguments: [("17.2", false), ("18.0", true)])
    func channel(version: String, isShown: Bool) {
        var device = Device(version: version)
        let outcome = device.start { $0["input-push-channel"] = "dHN0LXNyY2gtY2hubA==" }
        #expect(outcome == (isShown ? .applied : .channelUnsupported))
    }

    @Test("A start launches an app that does not run, for half a minute; updates do not")
    func launchedByStart() throws {
        var device = Device()
        _ = device.phone.killApp(at: noon)
        #expect(!device.phone.isAppRunning(at: noon))
        let effects = device.deliver(device.body("start", noon), token: device.phone.startToken)
        let instance = try #require(device.phone.activities.first?.instance)
        #expect(device.notices(effects) == [.launched, .started(instance: instance), .updateToken(instance: instance)])
        device.time = noon + PushedPhone.backgroundSeconds
        let later = device.deliver(device.body("update", noon + 31))
        #expect(device.settled(later).values.first == .applied)
        #expect(device.notices(later).isEmpty)
        #expect(device.phone.app == .notRunning)
    }

    @Test("After a force-quit cards are updated and starts are shown, and no token comes until the app is opened")
    func forceQuit() throws {
        var device = Device()
        _ = device.start()
        let first = try #require(device.phone.activities.first)
        _ = device.phone.forceQuitApp(at: noon)
        #expect(device.phone.activities.map(\.instance) == [first.instance], "cards stay")
        #expect(device.update(noon + 1, token: first.updateToken, step: 1) == .applied)
        device.time = noon + 2
        let started = device.deliver(device.body("start", noon + 2), token: device.phone.startToken)
        #expect(device.settled(started).values.first == .applied && device.notices(started).isEmpty)
        #expect(device.phone.app == .forceQuit && device.phone.phone.lockScreen.count == 2)
        let second = try #require(device.phone.activities.last)
        #expect(device.notices(device.phone.advance(to: noon + 3600)).isEmpty)
        #expect(device.phone.updateToken(of: second.instance) == nil)
        _ = device.phone.killApp(at: noon + 3600)
        #expect(device.phone.app == .forceQuit, "a process that is gone cannot be ended again")
        let opened = device.notices(device.phone.launchApp(at: noon + 3601))
        #expect(opened == [.launched, .updateToken(instance: second.instance)])
        device.time = noon + 3602
        let token = try #require(device.phone.updateToken(of: second.instance))
        #expect(device.update(noon + 3602, token: token, step: 2) == .applied)
    }

    @Test(
        "A card that started after a force-quit stays as it is: stale at its date, ended at eight hours, gone at twelve"
    )
    func frozen() throws {
        var device = Device()
        _ = device.phone.forceQuitApp(at: noon)
        _ = device.start { $0["stale-date"] = noon + 900 }
        let instance = try #require(device.phone.activities.first?.instance)
        #expect(device.phone.nextChange(after: noon + 10) == noon + 900)
        let states = [899, 900, 8 * 3600 - 1, 8 * 3600, 12 * 3600 - 1, 12 * 3600].map { seconds in
            _ = device.phone.advance(to: noon + seconds)
            return device.phone.phone[card: instance]?.state
        }
        #expect(states == [.active, .stale, .stale, .ended, .ended, .dismissed])
        #expect(device.phone.phone[card: instance]?.content.revision.step == 0)
    }

    @Test("What happens while the app does not run, it sees at its next launch")
    func launch() throws {
        var device = Device()
        _ = device.start()
        _ = device.phone.killApp(at: noon)
        let instance = try #require(device.phone.activities.first?.instance)
        #expect(device.notices(device.phone.rotate(.update(instance: instance), at: noon)).isEmpty)
        #expect(device.notices(device.phone.swipe(instance: instance, at: noon)).isEmpty)
        #expect(device.notices(device.phone.launchApp(at: noon + 5)) == [.launched])
    }

    @Test("A card's token comes when its time has come, and a running app is given it")
    func lateToken() throws {
        var device = Device { $0.tokenDelaySeconds = 20 }
        _ = device.start()
        let instance = try #require(device.phone.activities.first?.instance)
        #expect(device.phone.activities.first?.updateToken == nil)
        #expect(device.phone.nextChange(after: noon + 6) != nil)
        #expect(device.notices(device.phone.advance(to: noon + 19)).isEmpty)
        #expect(device.notices(device.phone.advance(to: noon + 20)) == [.updateToken(instance: instance)])
        #expect(device.phone.activities.first?.updateToken != nil)
    }

    @Test("Tokens are 80 bytes in hex: nobody may count on 32")
    func tokenLength() throws {
        var device = Device()
        _ = device.start()
        for token in [device.phone.startToken, device.phone.activities.first?.updateToken] {
            let token = try #require(token)
            #expect(token.count == 160 && token.allSatisfy(\.isHexDigit))
        }
    }

    @Test("A token that was replaced is expired from then on, and the new one works")
    func rotation() throws {
        var device = Device()
        _ = device.start()
        let instance = try #require(device.phone.activities.first?.instance)
        let former = try #require(device.phone.activities.first?.updateToken)
        let effects = device.phone.rotate(.update(instance: instance), at: noon + 10)
        #expect(device.notices(effects) == [.updateToken(instance: instance)])
        #expect(device.phone.status(of: former, at: noon + 11) == .expired(since: noon + 10))
        let token = try #require(device.phone.activities.first?.updateToken)
        #expect(token != former)
        #expect(device.phone.status(of: token, at: noon + 11) == .valid)
        #expect(device.update(noon + 12, token: token) == .applied)
    }

    @Test("The token that starts cards rotates too; its former may be deaf, which the sender cannot see")
    func deafToken() throws {
        var device = Device()
        let former = try #require(device.phone.startToken)
        let effects = device.phone.rotate(.start, isFormerDeaf: true, at: noon)
        #expect(device.notices(effects) == [.registrationChanged])
        #expect(device.phone.status(of: former, at: noon + 1) == .valid)
        let push = device.deliver(device.body("start", noon), token: former)
        #expect(device.settled(push).values.first == .deafToken)
        #expect(device.phone.activities.isEmpty)
    }

    @Test("The token of a card that is over is answered 200 for a while, then it is unregistered since the end")
    func endedToken() throws {
        var device = Device { $0.endedTokenSeconds = 60 }
        _ = device.start()
        let card = try #require(device.phone.activities.first)
        let token = try #require(card.updateToken)
        device.time = noon + 10
        _ = device.phone.swipe(instance: card.instance, at: noon + 10)
        #expect(device.phone.status(of: token, at: noon + 69) == .valid)
        #expect(device.update(noon + 11, token: token) == .alreadyEnded)
        #expect(device.phone.status(of: token, at: noon + 70) == .unregistered(since: noon + 10))
    }

    @Test("A running app notices contents, states and the person's switches, and nothing of its own doing")
    func notices() throws {
        var device = Device()
        _ = device.start()
        let instance = try #require(device.phone.activities.first?.instance)
        #expect(
            device.notices(device.deliver(device.body("update", noon + 1))) == [.content(instance: instance)])
        #expect(device.notices(device.deliver(device.body("end", noon + 2))) == [.state(instance: instance)])
        #expect(
            device.notices(device.phone.switchFrequentUpdates(on: false, at: noon + 3)) == [.registrationChanged])
        #expect(
            device.notices(device.phone.switchLiveActivities(on: false, at: noon + 4))
                == [.state(instance: instance), .registrationChanged])
        _ = device.phone.switchLiveActivities(on: true, at: noon + 5)
        device.time = noon + 6
        _ = device.start()
        let second = try #require(device.phone.activities.first?.instance)
        let ended = device.phone.endFromApp(instance: second, at: noon + 7)
        #expect(device.notices(ended).isEmpty)
        #expect(device.phone.activities.isEmpty)
    }

    @Test("The memory of tokens is bounded, and keeps the good ones")
    func boundedTokens() throws {
        var device = Device()
        for second in 0..<600 { _ = device.phone.rotate(.start, at: noon + second) }
        #expect(device.phone.knownTokens.count == PushedPhone.rememberedTokensMax)
        #expect(device.phone.status(of: try #require(device.phone.startToken), at: noon) == .valid)
    }

    @Test("A version of iOS is read from its text", arguments: [("17.2", 17, 2), ("18", 18, 0), ("17.2.1", 17, 2)])
    func versions(text: String, major: Int, minor: Int) {
        #expect(OSVersion(text) == OSVersion(major, minor))
    }

    @Test("What is no version is not read", arguments: ["", "iOS 18", "17.x", "17.", "-1"])
    func noVersions(text: String) { #expect(OSVersion(text) == nil) }
}
