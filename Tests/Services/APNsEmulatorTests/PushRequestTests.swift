import NIOHPACK
import Testing

@testable import APNsEmulator

@Suite("Header fields of a push")
struct PushRequestTests {
    static let good: [(String, String)] = [
        (":method", "POST"), (":path", "/3/device/00ff"), (":authority", "localhost"),
        ("apns-topic", "shop.nordhavn.app.push-type.liveactivity"), ("apns-push-type", "liveactivity"),
        ("apns-priority", "10"), ("apns-expiration", "0"), ("apns-id", "123e4567-e89b-12d3-a456-426614174000"),
        ("apns-collapse-id", String(repeating: "c", count: 64)),
    ]

    private func refusal(_ fields: [(String, String)]) -> RefusalReason? {
        let request = PushRequest(HPACKHeaders(fields))
        do throws(Refusal) {
            try request.checkTarget()
            _ = try request.fields()
            return nil
        } catch { return error.reason }
    }

    /// The good fields with one changed; nil leaves it out.
    private func fields(_ name: String, _ value: String?) -> [(String, String)] {
        Self.good.filter { $0.0 != name } + (value.map { [(name, $0)] } ?? [])
    }

    static let bad: [(name: String, value: String?, reason: RefusalReason)] = [
        (":path", "/3/devices/00ff", .badPath), (":path", "/", .badPath), (":method", "GET", .methodNotAllowed),
        (":path", "/3/device/", .missingDeviceToken), ("apns-id", "17", .badMessageID),
        ("apns-id", "123e4567-e89b-12d3-a456-42661417400g", .badMessageID),
        ("apns-expiration", "-1", .badExpirationDate),
        ("apns-expiration", "soon", .badExpirationDate), ("apns-expiration", "1.5", .badExpirationDate),
        ("apns-priority", "1", .badPriority), ("apns-priority", "high", .badPriority),
        ("apns-collapse-id", String(repeating: "c", count: 65), .badCollapseID), ("apns-topic", nil, .missingTopic),
        ("apns-topic", "shop/app", .badTopic), ("apns-push-type", nil, .invalidPushType),
        ("apns-push-type", "alert", .invalidPushType),
    ]

    @Test("A field that is wrong is refused with its own reason", arguments: bad.indices)
    func refuses(index: Int) {
        let row = Self.bad[index]
        #expect(refusal(fields(row.name, row.value)) == row.reason)
    }

    @Test(
        "What may be left out may be left out",
        arguments: ["apns-id", "apns-expiration", "apns-priority", "apns-collapse-id"])
    func optional(name: String) { #expect(refusal(fields(name, nil)) == nil) }

    @Test("Left out, the priority is 10, and the expiration the service's affair")
    func defaults() throws {
        let request = PushRequest(
            HPACKHeaders(Self.good.filter { !["apns-priority", "apns-expiration"].contains($0.0) }))
        let fields = try request.fields()
        #expect(fields.priority == 10)
        #expect(fields.expiration == nil)
    }

    @Test("A field that is there twice is a duplicate", arguments: ["apns-id", "apns-topic", "apns-priority"])
    func duplicates(name: String) throws {
        let field = try #require(Self.good.first { $0.0 == name })
        #expect(refusal(Self.good + [field]) == .duplicateHeaders)
    }

    @Test("A token is compared in lower case, whatever its length")
    func token() { #expect(PushRequest(HPACKHeaders(fields(":path", "/3/device/00FFaa"))).token == "00ffaa") }
}
