import Testing

@testable import ServiceRuntime

@Suite("Trusted proxies")
struct TrustedProxiesTests {
    @Test(
        "A request is from the nearest address before our own proxies, and whoever else sends the header is not believed",
        arguments: [
            ("203.0.113.9", ["198.51.100.1"], "203.0.113.9"),
            ("10.1.2.3", [], "10.1.2.3"),
            ("10.1.2.3", ["198.51.100.1"], "198.51.100.1"),
            ("10.1.2.3", ["192.0.2.66, 198.51.100.1"], "198.51.100.1"),
            ("10.1.2.3", ["192.0.2.66", "198.51.100.1, 10.9.9.9"], "198.51.100.1"),
            ("10.1.2.3", ["10.7.7.7 , 10.9.9.9"], "10.7.7.7"),
            ("10.1.2.3", ["198.51.100.1, unknown, 10.9.9.9"], "10.9.9.9"),
            ("10.1.2.3", ["unknown"], "10.1.2.3"),
            ("::ffff:10.1.2.3", ["198.51.100.1"], "198.51.100.1"),
            ("fd12::1", ["2001:db8::5"], "2001:db8::5"),
            ("fe00::1", ["2001:db8::5"], "fe00::1"),
            ("192.168.7.129", ["198.51.100.1"], "198.51.100.1"),
            ("192.168.7.127", ["198.51.100.1"], "192.168.7.127"),
        ])
    func client(peer: String, forwardedFor: [String], client: String) throws {
        let proxies = try #require(TrustedProxies(["10.0.0.0/8", "fd00::/8", "192.168.7.128/25"]))
        #expect(proxies.client(peer: peer, forwardedFor: forwardedFor) == client)
    }

    @Test(
        "Limits count by an IPv4 address, and by the network of an IPv6 address",
        arguments: [
            ("203.0.113.9", "203.0.113.9"), ("::ffff:203.0.113.9", "203.0.113.9"),
            ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"), ("2001:db8:1:2::9", "2001:db8:1:2::/64"), ("", ""),
        ])
    func networks(address: String, network expected: String) {
        #expect(network(of: address) == expected)
    }

    @Test("Without any, the header says nothing")
    func none() {
        #expect(TrustedProxies.none.client(peer: "10.1.2.3", forwardedFor: ["198.51.100.1"]) == "10.1.2.3")
        #expect(TrustedProxies.none.client(peer: nil, forwardedFor: ["198.51.100.1"]) == nil)
    }

    @Test(
        "A text that is neither an address nor a network is refused",
        arguments: ["", "10.0.0.0/33", "10.0.0", "fd00::/129", "10.0.0.0/8/8", "10.0.0.0/-1", "ingress", "10.0.0.0/"])
    func refused(text: String) {
        #expect(TrustedProxies([text]) == nil)
    }
}
