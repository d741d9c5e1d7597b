internal import Glibc

/// An address from a name's look-up, with the check whether it is on the public internet.
public struct EgressAddress: Hashable, Sendable, CustomStringConvertible {
    /// Four bytes, or sixteen.
    let bytes: [UInt8]

    /// Reads an address in its text form; nil for any other text.
    public init?(_ text: String) {
        var v4 = [UInt8](repeating: 0, count: 4)
        var v6 = [UInt8](repeating: 0, count: 16)
        if inet_pton(AF_INET, text, &v4) == 1 {
            bytes = v4
        } else if inet_pton(AF_INET6, text, &v6) == 1 {
            bytes = v6
        } else {
            return nil
        }
    }

    public var description: String {
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        guard inet_ntop(bytes.count == 4 ? AF_INET : AF_INET6, bytes, &text, socklen_t(text.count)) != nil else {
            return "an address"
        }
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// Whether a stranger's URL may lead there: not to this machine, a private network, a cloud's metadata, a group of
    /// machines, or through a tunnel to any of these.
    ///
    /// - Source: IANA's special-purpose address registries (RFC 6890). Of version 6 only global unicast is public, and of
    ///   that no address which carries one of version 4.
    public var isPublic: Bool {
        let ranges = bytes.count == 4 ? Self.refusedV4 : Self.refusedV6
        if bytes.count == 16, bytes[0] & 0xE0 != 0x20 { return false }
        return !ranges.contains { $0.contains(bytes) }
    }

    private static let refusedV4: [AddressRange] = [
        .init([0], 8), .init([10], 8), .init([100, 64], 10), .init([127], 8), .init([169, 254], 16),
        .init([172, 16], 12), .init([192, 0, 0], 24), .init([192, 0, 2], 24), .init([192, 88, 99], 24),
        .init([192, 168], 16), .init([198, 18], 15), .init([198, 51, 100], 24), .init([203, 0, 113], 24),
        .init([224], 4), .init([240], 4),
    ]
    private static let refusedV6: [AddressRange] = [
        // Teredo among others; documentation; 6to4; documentation.
        .init([0x20, 0x01, 0x00], 23), .init([0x20, 0x01, 0x0D, 0xB8], 32), .init([0x20, 0x02], 16),
        .init([0x3F, 0xFF], 20),
    ]
}

/// Addresses that begin with the same bits.
private struct AddressRange: Sendable {
    let prefix: [UInt8]
    let bits: Int

    init(_ prefix: [UInt8], _ bits: Int) {
        self.prefix = prefix
        self.bits = bits
    }

    func contains(_ address: [UInt8]) -> Bool {
        (0..<bits).allSatisfy { bit in
            let mask = UInt8(0x80 >> (bit % 8))
            let wanted = bit / 8 < prefix.count ? prefix[bit / 8] : 0
            return address[bit / 8] & mask == wanted & mask
        }
    }
}
