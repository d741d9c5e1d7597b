import Crypto
import Foundation
import Testing
import TextCoding
import WebhookSignatures

@Suite("Standard Webhooks")
struct StandardWebhookTests {
    private static let bodies = [
        "{}", #"{"type":"delivery.changed","data":{"note":"Grüße 🥬"}}"#, "",
        String(repeating: "x", count: 19_000),
    ]

    @Test("What we sign, code that is not ours believes, and nothing else of it")
    func verifiedByOthers() async throws {
        let now = Date()
        var cases: [Checker.Case] = []
        for key in [WebhookKey.makeSecret(), .makePrivateKey()] {
            for body in Self.bodies.filter({ !$0.isEmpty }) {
                let other = WebhookKey.makeSecret()
                let signed = try #require(
                    StandardWebhook.signing(Data(body.utf8), id: "msg_1", at: now, keys: [other, key]))
                func one(_ body: String, _ signed: StandardWebhook, _ key: WebhookKey = key) -> Checker.Case {
                    Checker.Case(
                        do: .verify, key: key.verifying.text, id: signed.id, timestamp: signed.timestamp, body: body,
                        signature: signed.signature)
                }
                var moved = signed
                moved.id = "msg_2"
                cases += [one(body, signed), one(body + " ", signed), one(body, moved)]
            }
        }
        for (index, found) in try await Checker.verify(cases).enumerated() {
            #expect(
                !found.isEmpty && found.values.allSatisfy { $0 == index.isMultiple(of: 3) }, "case \(index): \(found)")
        }
    }

    @Test("What others sign, we believe")
    func signedByOthers() async throws {
        let now = Date()
        let keys = [WebhookKey.makeSecret(), .makePrivateKey()]
        let cases = keys.flatMap { key in
            Self.bodies.map { body in
                Checker.Case(
                    do: .sign, key: key.text, id: "evt_7", timestamp: "\(Int(now.timeIntervalSince1970))", body: body)
            }
        }
        for (one, signature) in zip(cases, try await Checker.sign(cases)) {
            let webhook = StandardWebhook(id: one.id, timestamp: one.timestamp, signature: signature)
            try webhook.verify(Data(one.body.utf8), keys: [try WebhookKey(one.key)], now: now)
            #expect(throws: WebhookSignatureError.forged) {
                try webhook.verify(Data((one.body + "\n").utf8), keys: keys, now: now)
            }
        }
    }

    @Test("The specification's own vector")
    func vector() throws {
        let key = try WebhookKey("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
        let body = Data(#"{"test": 2432232314}"#.utf8)
        let signed = try #require(
            StandardWebhook.signing(
                body, id: "msg_p5jXN8AQM9LWM0D4loKWxJek", at: Date(timeIntervalSince1970: 1_614_265_330), keys: [key]))
        #expect(signed.signature == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=")
    }

    @Test("Both of two keys verify while one replaces the other, and only they do")
    func rotation() throws {
        let (former, next, other) = (WebhookKey.makeSecret(), WebhookKey.makePrivateKey(), WebhookKey.makeSecret())
        let (body, now) = (Data("{}".utf8), Date())
        let signed = try #require(StandardWebhook.signing(body, id: "a", at: now, keys: [former, next]))
        #expect(signed.signature.split(separator: " ").count == 2)
        for key in [former, next.verifying] { try signed.verify(body, keys: [key], now: now) }
        #expect(throws: WebhookSignatureError.forged) { try signed.verify(body, keys: [other], now: now) }
        #expect(StandardWebhook.signing(body, id: "a", at: now, keys: [next.verifying]) == nil)
    }

    @Test(
        "A replay, a timestamp of the future or of none, and headers that are none are refused, each for its reason",
        arguments: [
            ("1614265330", "", WebhookSignatureError.tooOld), ("99999999999", "", .tooNew),
            ("1679000000000000000000", "", .malformed("webhook-timestamp")), ("", "", .malformed("webhook-timestamp")),
            ("-5", "", .malformed("webhook-timestamp")), ("1e9", "", .malformed("webhook-timestamp")),
            (nil, "v1", .malformed("webhook-signature")), (nil, "v1,***", .malformed("webhook-signature")),
            (nil, "v2,AAAA", .forged), (nil, "v1,AAAA v1a,AAAA", .forged),
            (nil, String(repeating: "v1,AAAA ", count: 600), .malformed("webhook-signature")),
        ] as [(String?, String, WebhookSignatureError)])
    func refused(timestamp: String?, signature: String, error: WebhookSignatureError) throws {
        let key = WebhookKey.makeSecret()
        let now = Date(timeIntervalSince1970: 1_800_000_000)
        var webhook = try #require(StandardWebhook.signing(Data("{}".utf8), id: "a", at: now, keys: [key]))
        if let timestamp { webhook.timestamp = timestamp } else { webhook.signature = signature }
        #expect(throws: error) { try webhook.verify(Data("{}".utf8), keys: [key], now: now) }
        webhook.id = "a.1"
        #expect(throws: WebhookSignatureError.malformed("webhook-id")) {
            try webhook.verify(Data("{}".utf8), keys: [key], now: now)
        }
    }

    @Test("Keys are read as they are written, and what is too short, too long or no base64 is none")
    func keys() throws {
        for key in [WebhookKey.makeSecret(), .makePrivateKey(), WebhookKey.makePrivateKey().verifying] {
            #expect(try WebhookKey(key.text).text == key.text)
        }
        let seedAndPublic = Data(repeating: 7, count: 64).base64EncodedString()
        #expect(try WebhookKey("whsk_" + seedAndPublic).text.count == 5 + 44)
        #expect(throws: WebhookKeyError.notBase64) { try WebhookKey("whsec_?") }
        #expect(throws: WebhookKeyError.wrongLength(23)) {
            try WebhookKey("whsec_" + Data(count: 23).base64EncodedString())
        }
        #expect(throws: WebhookKeyError.wrongLength(65)) {
            try WebhookKey("whsec_" + Data(count: 65).base64EncodedString())
        }
        #expect(throws: WebhookKeyError.wrongLength(31)) {
            try WebhookKey("whpk_" + Data(count: 31).base64EncodedString())
        }
        #expect("\(WebhookKeyError.notBase64)" == "it is not base64")
        #expect("\(WebhookKeyError.wrongLength(23))" == "a key of its kind does not have 23 bytes")
    }
}

@Suite("Signatures in hexadecimal digits")
struct HexSignatureTests {
    @Test("Uber's published vector")
    func uber() {
        let key = SymmetricKey(data: Data("c5c26d5a-70d6-46c7-a652-d7c09825ad29".utf8))
        let body = Data(
            #"{"kind": "event.courier_update", "location": {"lat": 37.7974109, "lng": -122.424145}}"#.utf8)
        let code = HMAC<SHA256>.authenticationCode(for: body, using: key).map { String(format: "%02x", $0) }.joined()
        #expect(code.hasPrefix("cdff8133fb065f8d37a2c1c94c3331b6a82766d1"))
        #expect(HexSignature.verifies(code, sha256Of: body, key: key))
        #expect(HexSignature.verifies(code.uppercased(), sha256Of: body, key: key))
        #expect(!HexSignature.verifies(code, sha256Of: body + Data(" ".utf8), key: key))
        #expect(!HexSignature.verifies(String(code.dropLast(2)), sha256Of: body, key: key))
    }

    @Test("openssl signs both kinds as we verify them")
    func openSSL() async throws {
        let hexKey = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
        let key = SymmetricKey(data: try #require(Hexadecimal.decode(hexKey)))
        let body = #"{"taskId":"x~1","time":1732000000000}"#
        let sha256 = try await Checker.openSSL("sha256", hexKey: hexKey, body: body)
        let sha512 = try await Checker.openSSL("sha512", hexKey: hexKey, body: body)
        #expect(HexSignature.verifies(sha256, sha256Of: Data(body.utf8), key: key))
        #expect(HexSignature.verifies(sha512, sha512Of: Data(body.utf8), key: key))
        #expect(!HexSignature.verifies(sha256, sha512Of: Data(body.utf8), key: key))
        #expect(!HexSignature.verifies(sha512, sha256Of: Data(body.utf8), key: key))
    }
}
