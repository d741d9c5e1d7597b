import SeededRandom
import Testing

@testable import WebhookSender

@Suite("Where webhooks may be sent")
struct EgressTests {
    @Test(
        "What is not of the public internet is refused, in every form of writing it",
        arguments: [
            "0.0.0.0", "10.1.2.3", "100.64.0.1", "100.127.255.255", "127.0.0.1", "127.255.255.254", "169.254.169.254",
            "172.16.0.1", "172.31.255.255", "192.0.0.1", "192.0.2.1", "192.88.99.1", "192.168.0.1", "198.18.0.1",
            "198.19.255.255", "198.51.100.1", "203.0.113.1", "224.0.0.1", "239.255.255.255", "240.0.0.1",
            "255.255.255.255", "::", "::1", "::ffff:127.0.0.1", "::ffff:8.8.8.8", "::7f00:1", "64:ff9b::7f00:1",
            "64:ff9b:1::1", "100::1", "2001::1", "2001:1ff::1", "2001:db8::1", "2002:7f00:1::", "3fff::1", "4000::1",
            "fc00::1", "fd12:3456::1", "fe80::1", "fec0::1", "ff02::1", "5f00::1",
        ])
    func refused(text: String) throws {
        #expect(try #require(EgressAddress(text)).isPublic == false)
    }

    @Test(
        "What is of it is not",
        arguments: [
            "1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255",
            "128.0.0.1", "172.15.255.255", "172.32.0.0", "192.0.1.0", "198.17.255.255", "198.20.0.0", "223.255.255.255",
            "2001:200::1", "2001:4860:4860::8888", "2606:4700::1111", "2003::1", "2a00:1450::1", "3ffe::1",
        ])
    func allowed(text: String) throws {
        let address = try #require(EgressAddress(text))
        #expect(address.isPublic && address.description == text)
    }

    @Test("Every address of version 4 within another of version 6 is refused")
    func embedded() throws {
        var random = SeededGenerator(seed: 1)
        for _ in 0..<2_000 {
            let bytes = (0..<4).map { _ in UInt8.random(in: 0...255, using: &random) }
            let digits = bytes.map { String($0, radix: 16) }.map { $0.count == 1 ? "0" + $0 : $0 }
            let tail = "\(digits[0])\(digits[1]):\(digits[2])\(digits[3])"
            for text in ["::ffff:\(tail)", "64:ff9b::\(tail)", "2002:\(tail)::", "::\(tail)"] {
                #expect(try #require(EgressAddress(text)).isPublic == false, "\(text)")
            }
        }
    }

    @Test("Only https without credentials is an address of a receiver")
    func addresses() throws {
        let url = try WebhookURL("https://Hooks.Example.com:8443/doorstep?shop=1")
        #expect(url.host == "hooks.example.com" && url.port == 8_443)
        #expect(try WebhookURL("https://[2606:4700::1]/").host == "2606:4700::1")
        // It is requested as it is checked.
        #expect(try WebhookURL("https://%4cocalhost/a").text == "https://localhost/a")
        #expect(try WebhookURL("http://127.0.0.1:9/", allowsPlain: true).port == 9)
        for (text, error) in [
            ("http://example.com/", WebhookURLError.notHTTPS), ("ftp://example.com/", .notHTTPS),
            ("file:///etc/passwd", .notAURL), ("https://", .notAURL), ("", .notAURL),
            ("https://u:p@example.com/", .hasCredentials), ("https://u@example.com/", .hasCredentials),
            ("https://example.com/#a", .hasFragment),
            ("https://example.com/" + String(repeating: "a", count: 2_000), .tooLong),
            ("https://example.com:70000/", .notAURL),
            ("https://bücher.example/", .notAURL), ("https://exa_mple.com/", .notAURL),
        ] {
            #expect(throws: error, "\(text.prefix(40))") { try WebhookURL(text) }
        }
    }

    @Test("An address is a URI where every other character is percent-encoded")
    func uris() {
        for text in [
            "https://h.example", "https://h.example:8443/a/b;c=1/?q=%3Cb%3E&r='(x)'/?", "https://[2606:4700::1]/~a",
            "HTTPS://h.example/%7euser",
        ] { #expect(WebhookURL.isURI(text), "\(text)") }
        for text in [
            "https://h.example/<b>?", "https://h.example/a b", "https://h.example/æ", "https://h.example/?q=\"",
            "https://h.example/%4", "https://h.example/%zz", "https://h.example/[x]", "https://h.example/?q={a}|b",
            "https://h.example/a\\b", "https://h.example/^`", "https://h.example/\u{301}",
        ] { #expect(!WebhookURL.isURI(text), "\(text)") }
    }
}
