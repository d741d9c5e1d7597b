import OrderDomain
import Testing
import TextCoding

@testable import Orders

@Suite("Links to couriers' pages")
struct CourierLinkTests {
    private let signer: LinkSigner
    private let old: LinkSigner

    init() throws {
        let keys: [UInt8: [UInt8]] = [1: Array(repeating: 7, count: 32), 2: Array(repeating: 8, count: 32)]
        signer = try LinkSigner(origin: "https://go.nordhavn.example", keys: keys, signing: 2)
        old = try LinkSigner(origin: "https://go.nordhavn.example", keys: keys.filter { $0.key == 1 }, signing: 1)
    }

    @Test("A token names its courier and number, whichever key signed it", arguments: ["m", "mira", "M-1_x"])
    func tokens(name: String) throws {
        for courier in [name, String(repeating: name, count: 64 / name.count)] {
            let link = CourierLink(courier: try #require(CourierID(rawValue: courier)), number: 70_000)
            #expect(signer.courierLink(from: signer.token(of: link)) == link)
            #expect(signer.courierLink(from: old.token(of: link)) == link)
            #expect(old.courierLink(from: signer.token(of: link)) == nil)
            #expect(signer.url(of: link) == "https://go.nordhavn.example/c/" + signer.token(of: link))
        }
    }

    @Test("A token with any bit changed, shortened or lengthened is none")
    func forged() throws {
        let token = signer.token(of: CourierLink(courier: try #require(CourierID(rawValue: "mira")), number: 1))
        let bytes = try #require(Base64URL.decode(token))
        for bit in 0..<bytes.count * 8 {
            var changed = bytes
            changed[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(signer.courierLink(from: Base64URL.encode(changed)) == nil, "bit \(bit)")
        }
        for count in 0..<bytes.count {
            #expect(signer.courierLink(from: Base64URL.encode(bytes.prefix(count))) == nil)
        }
        #expect(signer.courierLink(from: token + "AA") == nil && signer.courierLink(from: "") == nil)
    }

    @Test("No link of a customer's is a courier's, and none of a courier's a customer's")
    func kinds() throws {
        let delivery = try Delivery.sample()
        for link in Link.legal(for: delivery) + [.view(of: delivery.id, number: 1)] {
            #expect(signer.courierLink(from: signer.token(of: link)) == nil)
        }
        // As long as a customer's link: 5 and 32 bytes beside the id.
        let courier = try #require(CourierID(rawValue: String(repeating: "m", count: 19)))
        let token = signer.token(of: CourierLink(courier: courier, number: 1))
        #expect(token.utf8.count == 75 && signer.link(from: token) == nil)
    }
}
