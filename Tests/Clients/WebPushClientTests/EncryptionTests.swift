import Crypto
import SeededRandom
import Testing
import TextCoding
import WebPushTesting

@testable import WebPushClient

@Suite("Encryption of messages")
struct EncryptionTests {
    private func bytes(_ text: String) throws -> [UInt8] { try #require(Base64URL.decode(text)) }

    @Test("The example of RFC 8291, appendix A, byte for byte, and the browser of the example reads it")
    func example() throws {
        let browser = SubscribedBrowser(
            key: try P256.KeyAgreement.PrivateKey(
                rawRepresentation: bytes("q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94")),
            auth: try bytes("BTBZMqHH6r4Tts7J_aSIgg"))
        let subscription = try WebPushSubscription(
            endpoint: "https://push.example.net/push/JzLQ3raZJfFBR0aqvOMsLrt54w4rJUsV",
            p256dh: "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
            auth: "BTBZMqHH6r4Tts7J_aSIgg")
        let plaintext = Array("When I grow up, I want to be a watermelon".utf8)
        let body = try MessageEncryption.encrypt(
            plaintext, for: subscription,
            key: P256.KeyAgreement.PrivateKey(
                rawRepresentation: bytes("yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw")),
            salt: bytes("DGv6ra1nlYgDCS1FRnbzlw"))
        #expect(
            Base64URL.encode(body)
                == "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27ml"
                + "mlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPT"
                + "pK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN")
        #expect(try browser.decrypt(body) == plaintext)
    }

    @Test("The example of RFC 8188, section 3.1, byte for byte")
    func contentEncoding() throws {
        let body = try ContentEncoding.encode(
            Array("I am the walrus".utf8), inputKey: SymmetricKey(data: bytes("yqdlZ-tYemfogSmv7Ws5PQ")),
            salt: bytes("I1BsxtFttlv3u_Oo94xnmw"), keyID: [])
        #expect(Base64URL.encode(body) == "I1BsxtFttlv3u_Oo94xnmwAAEAAA-NAVub2qFgBEuQKRapoZu-IxkIva3MEB1PD-ly8Thjg")
    }

    @Test(
        "A body is one header and one record: 103 bytes more than the plaintext", arguments: [0, 1, 15, 16, 17, 3_993])
    func layout(size: Int) throws {
        let browser = SubscribedBrowser()
        let key = P256.KeyAgreement.PrivateKey()
        let salt: [UInt8] = Array(1...16)
        let body = try MessageEncryption.encrypt(
            Array(repeating: 7, count: size), for: browser.subscription(at: "https://localhost/a"), key: key, salt: salt
        )
        #expect(body.count == size + 103)
        #expect(body.count <= 4_096)
        #expect(Array(body[0..<16]) == salt)
        #expect(Array(body[16..<21]) == [0, 0, 0x10, 0, 65])
        #expect(Array(body[21..<86]) == Array(key.publicKey.x963Representation))
        // What RFC 8291, section 4, demands: the record is smaller than a record may be.
        #expect(body.count - 86 < 4_096)
        #expect(try browser.decrypt(body) == Array(repeating: 7, count: size))
    }

    @Test("What is encrypted is read, whatever it is", arguments: 1...8)
    func roundTrips(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<40 {
            let browser = SubscribedBrowser(random: &random)
            let length = Int.random(in: 0...WebPushMessage.plaintextBytesMax, using: &random)
            // With zeros at the end, which must not be taken for padding.
            let plaintext = random.bytes(length) + Array(repeating: 0, count: length > 3_980 ? 0 : 8)
            let body = try MessageEncryption.encrypt(
                plaintext, for: browser.subscription(at: "https://localhost/a"),
                key: P256.KeyAgreement.PrivateKey(random: &random), salt: random.bytes(16))
            #expect(try browser.decrypt(body) == plaintext, "seed \(seed)")
        }
    }

    @Test("No two bodies share a key or a salt, though the message is the same")
    func fresh() throws {
        let subscription = try SubscribedBrowser().subscription(at: "https://localhost/a")
        let bodies = try (0..<50).map { _ in try MessageEncryption.encrypt([1, 2, 3], for: subscription) }
        #expect(Set(bodies.map { $0[0..<16] }).count == 50)
        #expect(Set(bodies.map { $0[21..<86] }).count == 50)
    }

    @Test("Another browser, another secret and a changed byte make it unreadable")
    func secrecy() throws {
        let browser = SubscribedBrowser()
        let body = try MessageEncryption.encrypt([1, 2, 3], for: browser.subscription(at: "https://localhost/a"))
        #expect(try browser.decrypt(body) == [1, 2, 3])
        #expect(throws: (any Error).self) { try SubscribedBrowser().decrypt(body) }
        #expect(throws: (any Error).self) {
            try SubscribedBrowser(key: browser.key, auth: Array(repeating: 0, count: 16)).decrypt(body)
        }
        // The record size is not authenticated; the rest is, directly or by what is derived from it.
        for index in Array(0..<16) + Array(21..<body.count) {
            var changed = body
            changed[index] ^= 1
            #expect(throws: (any Error).self, "byte \(index)") { try browser.decrypt(changed) }
        }
    }
}
