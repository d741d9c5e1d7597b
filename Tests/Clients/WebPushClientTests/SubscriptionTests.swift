import Foundation
import SeededRandom
import Testing
import TextCoding
import WebPushTesting

@testable import WebPushClient

@Suite("Subscriptions")
struct SubscriptionTests {
    private static let browser = SubscribedBrowser()

    private func fault(_ endpoint: String) -> WebPushSubscriptionError? {
        fault(endpoint, p256dh: Self.browser.p256dhText, auth: Self.browser.authText)
    }

    private func fault(_ endpoint: String, p256dh: String, auth: String) -> WebPushSubscriptionError? {
        do throws(WebPushSubscriptionError) {
            _ = try WebPushSubscription(endpoint: endpoint, p256dh: p256dh, auth: auth)
            return nil
        } catch { return error }
    }

    // MARK: Endpoints

    @Test(
        "The endpoints of the push services there are, and of one's own",
        arguments: [
            ("https://fcm.googleapis.com/fcm/send/c1KrmpTuRm8:APA91bE-x_y", "fcm.googleapis.com"),
            ("https://jmt17.google.com/fcm/send/c1KrmpTuRm8", "jmt17.google.com"),
            ("https://updates.push.services.mozilla.com/wpush/v2/gAAAAABh==", "updates.push.services.mozilla.com"),
            ("https://web.push.apple.com/QGuQyavXutnMH-long-token", "web.push.apple.com"),
            ("https://wns2-par02p.notify.windows.com/w/?token=BQYAAAD%2b1%3d", "wns2-par02p.notify.windows.com"),
            ("https://xn--bcher-kva.example:8443/push", "xn--bcher-kva.example"),
            ("https://push.example", "push.example"),
        ])
    func endpoints(endpoint: String, host: String) throws {
        let subscription = try Self.browser.subscription(at: endpoint, reach: .publicNames)
        #expect(subscription.host == host)
        #expect(subscription.endpoint == (endpoint == "https://push.example" ? endpoint + "/" : endpoint))
    }

    @Test(
        "The origin has no path, and no port where it is the scheme's own",
        arguments: [
            ("https://push.example/a/b?c", "https://push.example"),
            ("https://push.example:443/a", "https://push.example"),
            ("https://push.example:0443/a", "https://push.example"),
            ("https://push.example:8443/a", "https://push.example:8443"),
            ("HTTPS://Push.EXAMPLE/A", "https://push.example"), ("https://push.example?a", "https://push.example"),
        ])
    func origins(endpoint: String, origin: String) throws {
        let subscription = try Self.browser.subscription(at: endpoint, reach: .publicNames)
        #expect(subscription.address.origin == origin)
        #expect(subscription.endpoint.hasPrefix(origin + "/"))
    }

    @Test(
        "An endpoint that leads elsewhere, or nowhere, is refused",
        arguments: [
            ("http://push.example/a", .endpointNotHTTPS), ("ftp://push.example/a", .endpointNotHTTPS),
            ("push.example/a", .endpointNotHTTPS), ("", .endpointNotHTTPS), ("//push.example/a", .endpointNotHTTPS),
            ("http+unix://%2Fvar%2Frun%2Fdocker.sock/a", .endpointNotHTTPS), ("javascript:alert(1)", .endpointNotHTTPS),
            (" https://push.example/a", .endpointMalformed), ("https:/push.example/a", .endpointNotHTTPS),
            ("https://user@push.example/a", .endpointWithUser), ("https://user:word@push.example/a", .endpointWithUser),
            ("https://push.example@10.0.0.1/a", .endpointWithUser), ("https://@push.example/a", .endpointWithUser),
            ("https://push.example:443@localhost/a", .endpointWithUser),
            ("https://127.0.0.1/a", .endpointAtAddress), ("https://10.0.0.1:8443/a", .endpointAtAddress),
            ("https://192.168.1.1/a", .endpointAtAddress), ("https://172.16.0.1/a", .endpointAtAddress),
            ("https://169.254.169.254/latest/meta-data", .endpointAtAddress), ("https://0.0.0.0/", .endpointAtAddress),
            ("https://100.64.0.1/a", .endpointAtAddress), ("https://8.8.8.8/a", .endpointAtAddress),
            // What inet_aton reads as 127.0.0.1.
            ("https://127.1/a", .endpointAtAddress), ("https://2130706433/a", .endpointAtAddress),
            ("https://0x7f000001/a", .endpointAtAddress), ("https://0177.0.0.01/a", .endpointAtAddress),
            ("https://0x7f.0.0.0x1/a", .endpointAtAddress),
            ("https://[::1]/a", .endpointAtAddress), ("https://[fe80::1%25eth0]/a", .endpointAtAddress),
            ("https://[fd00::1]:443/a", .endpointAtAddress), ("https://[::ffff:127.0.0.1]/a", .endpointAtAddress),
            ("https://[2606:4700::1111]/a", .endpointAtAddress), ("https://::1/a", .endpointMalformed),
            ("https://localhost/a", .endpointAtLocalName), ("https://LOCALHOST:8081/a", .endpointAtLocalName),
            ("https://a.localhost/a", .endpointAtLocalName), ("https://localhost.localdomain/", .endpointAtLocalName),
            ("https://printer.local/a", .endpointAtLocalName), ("https://orders:8081/a", .endpointAtLocalName),
            ("https://orders.default.svc.cluster.local/a", .endpointAtLocalName),
            ("https://orders.default.svc/a", .endpointAtLocalName),
            ("https://metadata.google.internal/a", .endpointAtLocalName),
            ("https://router.home.arpa/a", .endpointAtLocalName),
            ("https://localhost./a", .endpointMalformed), ("https://push.example./a", .endpointMalformed),
            ("https:///a", .endpointMalformed), ("https://:443/a", .endpointMalformed),
            ("https://push..example/a", .endpointMalformed), ("https://.example/a", .endpointMalformed),
            ("https://-push.example/a", .endpointMalformed), ("https://push-.example/a", .endpointMalformed),
            ("https://push_1.example/a", .endpointMalformed), ("https://push%2eexample/a", .endpointMalformed),
            ("https://pus\u{0127}.example/a", .endpointMalformed),
            ("https://push\u{3002}example/a", .endpointMalformed),
            ("https://\u{24db}ocalhost/a", .endpointMalformed),
            ("https://push.example:/a", .endpointMalformed), ("https://push.example:0/a", .endpointMalformed),
            ("https://push.example:65536/a", .endpointMalformed),
            ("https://push.example:4430000/a", .endpointMalformed),
            ("https://push.example:+443/a", .endpointMalformed), ("https://push.example:443:443/a", .endpointMalformed),
            ("https://push.example/a#b", .endpointMalformed), ("https://push.example/a b", .endpointMalformed),
            ("https://push.example/a\r\nHost: b", .endpointMalformed), ("https://push.example/a\0", .endpointMalformed),
            ("https://push.example\\@localhost/a", .endpointMalformed), ("https://push.example\\a", .endpointMalformed),
            ("https://push.example/{a}", .endpointMalformed), ("https://push.example/é", .endpointMalformed),
            ("https://\(String(repeating: "a", count: 64)).example/", .endpointMalformed),
            ("https://\(String(repeating: "abc.", count: 63))example/", .endpointMalformed),
        ] as [(String, WebPushSubscriptionError)])
    func badEndpoints(endpoint: String, fault: WebPushSubscriptionError) {
        #expect(self.fault(endpoint) == fault)
        #expect(fault.property == "endpoint")
    }

    @Test("An endpoint of 2,048 characters is taken, a longer one is not read")
    func length() {
        let short = "https://push.example/"
        #expect(fault(short + String(repeating: "a", count: 2_048 - short.count)) == nil)
        #expect(fault(short + String(repeating: "a", count: 2_049 - short.count)) == .endpointTooLong)
        #expect(fault(String(repeating: "\u{1F600}", count: 1_000_000)) == .endpointTooLong)
    }

    @Test("What is taken, another parser of URLs reads the same way", arguments: 1...6)
    func parsers(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let pieces = [
            "push", "example", "localhost", "a", "1", "127", "0x7f", ".", ".", ".", "-", "@", ":", ":443", "/", "/",
            "\\",
            "?", "#", "[", "]", "::1", "%", "%2e", "%40", "&", "=", ";", "..", "https://", "é", "\t",
        ]
        var taken = 0
        for _ in 0..<20_000 {
            var parts = ["push", ".", "example", "/", "a"]
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                parts.insert(
                    pieces.randomElement(using: &random) ?? "", at: Int.random(in: 0...parts.count, using: &random))
            }
            let text = "https://" + parts.joined()
            guard let endpoint = try? WebPushEndpoint(text) else { continue }
            taken += 1
            for parsed in [URL(string: text), URL(string: endpoint.url)] {
                #expect(parsed?.host()?.lowercased() == endpoint.host, "\(text.debugDescription)")
                #expect(parsed?.user() == nil && parsed?.scheme == "https", "\(text.debugDescription)")
                #expect(parsed?.fragment() == nil, "\(text.debugDescription)")
            }
            #expect((try? WebPushEndpoint(endpoint.url)) == endpoint, "\(text.debugDescription)")
        }
        #expect(taken > 1_000)
    }

    @Test("Loopback can be asked for by tests, and is nothing else then")
    func loopback() throws {
        for endpoint in ["http://localhost:80/a", "https://127.0.0.1:8443/", "http://127.0.0.1/"] {
            _ = try Self.browser.subscription(at: endpoint)
        }
        for endpoint in ["http://push.example/", "http://10.0.0.1/", "http://127.0.0.1.push.example/"] {
            #expect(throws: WebPushSubscriptionError.endpointAtLocalName) {
                try Self.browser.subscription(at: endpoint)
            }
        }
        #expect(throws: WebPushSubscriptionError.endpointNotHTTPS) {
            try Self.browser.subscription(at: "ftp://localhost")
        }
    }

    // MARK: Keys

    @Test("Keys are taken with padding and without")
    func padding() throws {
        let padded = try WebPushSubscription(
            endpoint: "https://push.example/", p256dh: Self.browser.p256dhText + "=", auth: Self.browser.authText + "=="
        )
        #expect(padded == (try Self.browser.subscription(at: "https://push.example/", reach: .publicNames)))
        #expect(padded.p256dh.count == 65 && padded.auth.count == 16)
    }

    @Test("A public key that is no point of the curve, or written another way, is refused")
    func badPoints() {
        let point = Base64URL.decode(Self.browser.p256dhText) ?? []
        var offCurve = point
        offCurve[64] ^= 1
        let faults: [(String, WebPushSubscriptionError)] = [
            ("", .p256dhNotAPoint), ("A", .p256dhNotBase64URL), ("not base64!", .p256dhNotBase64URL),
            (Self.browser.p256dhText + "==", .p256dhNotBase64URL),
            (String(repeating: "A", count: 1_000_000), .p256dhNotBase64URL),
            (Base64URL.encode(offCurve), .p256dhNotAPoint), (Base64URL.encode(point.dropLast()), .p256dhNotAPoint),
            (Base64URL.encode(point + [0]), .p256dhNotAPoint), (Base64URL.encode(point.dropFirst()), .p256dhNotAPoint),
            // Compressed, hybrid, and the point at infinity.
            (Base64URL.encode([2 + (point[64] & 1)] + point[1...32]), .p256dhNotAPoint),
            (Base64URL.encode([6 + (point[64] & 1)] + point[1...]), .p256dhNotAPoint),
            (Base64URL.encode([4] + Array(repeating: 0, count: 64)), .p256dhNotAPoint),
            (Base64URL.encode(Array(repeating: 0, count: 65)), .p256dhNotAPoint),
        ]
        for (text, expected) in faults {
            #expect(fault("https://push.example/", p256dh: text, auth: Self.browser.authText) == expected, "\(text)")
            #expect(expected.property == "keys.p256dh")
        }
    }

    @Test(
        "A secret of another length, or written another way, is refused",
        arguments: [
            ("", .authOfWrongLength), ("AAAA", .authOfWrongLength),
            (String(repeating: "A", count: 20), .authOfWrongLength),
            (String(repeating: "A", count: 23), .authOfWrongLength), ("+/", .authNotBase64URL),
            (String(repeating: "A", count: 21), .authNotBase64URL),
            (String(repeating: "A", count: 1_000_000), .authNotBase64URL),
        ] as [(String, WebPushSubscriptionError)])
    func badSecrets(text: String, fault: WebPushSubscriptionError) {
        #expect(self.fault("https://push.example/", p256dh: Self.browser.p256dhText, auth: text) == fault)
        #expect(fault.property == "keys.auth")
    }

    // MARK: JSON

    private func json(_ endpoint: String) -> Data {
        Data(
            """
            {"endpoint":"\(endpoint)","expirationTime":null,\
            "keys":{"p256dh":"\(Self.browser.p256dhText)","auth":"\(Self.browser.authText)"}}
            """.utf8)
    }

    @Test("A browser's JSON becomes a subscription, and is the same after it was stored")
    func decoding() throws {
        let subscription = try JSONDecoder().decode(WebPushSubscription.self, from: json("https://push.example/a"))
        #expect(subscription == (try Self.browser.subscription(at: "https://push.example/a", reach: .publicNames)))
        let stored = try JSONEncoder().encode(subscription)
        #expect(try JSONDecoder().decode(WebPushSubscription.self, from: stored) == subscription)
        let fields = try JSONDecoder().decode([String: AnyField].self, from: stored)
        #expect(Set(fields.keys) == ["endpoint", "keys"])
    }

    private struct AnyField: Decodable {
        init(from decoder: any Decoder) throws {}
    }

    @Test("A fault in the JSON names its place, and JSON never reaches loopback")
    func places() throws {
        func place(_ data: Data) -> [String]? {
            do {
                _ = try JSONDecoder().decode([WebPushSubscription].self, from: data)
                return nil
            } catch DecodingError.dataCorrupted(let context) {
                return context.codingPath.map { $0.intValue.map { "\($0)" } ?? $0.stringValue }
            } catch { return ["\(error)"] }
        }
        func list(_ text: String) -> Data { Data("[\(text)]".utf8) }
        let good = String(decoding: json("https://push.example/a"), as: UTF8.self)
        #expect(place(list(good)) == nil)
        #expect(place(list(String(decoding: json("http://127.0.0.1/a"), as: UTF8.self))) == ["0", "endpoint"])
        #expect(place(list(good.replacing(Self.browser.authText, with: "AA"))) == ["0", "keys", "auth"])
        #expect(place(list(good.replacing(Self.browser.p256dhText, with: "!"))) == ["0", "keys", "p256dh"])
        for missing in ["{}", #"{"endpoint":"https://push.example/a"}"#, #"{"endpoint":1,"keys":{}}"#, "null"] {
            #expect(throws: DecodingError.self) {
                try JSONDecoder().decode(WebPushSubscription.self, from: Data(missing.utf8))
            }
        }
    }

    @Test("A description has nothing of what makes sending possible")
    func description() throws {
        let subscription = try Self.browser.subscription(
            at: "https://push.example:8443/secret?more", reach: .publicNames)
        #expect("\(subscription)" == "a subscription at https://push.example:8443")
        #expect(String(reflecting: subscription) == "\(subscription)")
        for fault in [WebPushSubscriptionError.endpointMalformed, .p256dhNotAPoint, .authOfWrongLength] {
            #expect(!"\(fault)".isEmpty)
        }
    }
}

@Suite("Push services that are allowed")
struct HostsTests {
    private static let keys = (p256dh: SubscribedBrowser().p256dhText, auth: SubscribedBrowser().authText)

    private static func isAllowed(_ endpoint: String, by hosts: WebPushHosts) -> Bool {
        (try? hosts.subscription(endpoint: endpoint, p256dh: keys.p256dh, auth: keys.auth)) != nil
    }

    @Test(
        "Those of the known browsers are taken, and nothing that looks like one",
        arguments: [
            ("https://fcm.googleapis.com/fcm/send/abc", true), ("https://FCM.googleapis.com/fcm/send/abc", true),
            ("https://wns2-am3p.notify.windows.com/w/?token=abc", true), ("https://web.push.apple.com/abc", true),
            ("https://updates.push.services.mozilla.com/wpush/v2/abc", true),
            ("https://notify.windows.com/w/", false), ("https://evilnotify.windows.com/w/", false),
            ("https://fcm.googleapis.com.evil.example/abc", false), ("https://evil.example/fcm.googleapis.com", false),
            ("https://localhost/abc", false), ("http://127.0.0.1:80/abc", false),
            ("https://fcm.googleapis.com:443/fcm/send/abc", true),
            ("https://fcm.googleapis.com:22/fcm/send/abc", false),
            ("https://fcm.googleapis.com:8443/fcm/send/abc", false),
        ])
    func known(endpoint: String, isAllowed: Bool) {
        #expect(Self.isAllowed(endpoint, by: WebPushHosts(WebPushHosts.known)) == isAllowed)
    }

    @Test("Another port than 443 is sent to where that is allowed, by the same names alone")
    func ports() {
        let hosts = WebPushHosts(["push.example.com"], allowsPorts: true)
        #expect(Self.isAllowed("https://push.example.com:8443/abc", by: hosts))
        #expect(!Self.isAllowed("https://push.elsewhere.example:8443/abc", by: hosts))
        #expect((try? hosts.endpoint("https://push.example.com:8443/abc")) != nil)
        #expect((try? WebPushHosts(["push.example.com"]).endpoint("https://push.example.com:8443/abc")) == nil)
    }

    @Test("This machine's own are taken for tests alone, where they are named")
    func loopback() {
        #expect(!Self.isAllowed("http://localhost:8080/abc", by: WebPushHosts(["localhost"])))
        #expect(Self.isAllowed("http://localhost:8080/abc", by: WebPushHosts(["localhost"], allowsLoopback: true)))
        #expect(!Self.isAllowed("http://localhost:8080/abc", by: WebPushHosts([], allowsLoopback: true)))
    }
}
