import NIOCore
import SwiftASN1

extension EmulatorFiles {
    /// An IP address as certificates have it; nil for a name.
    static func address(_ text: String) -> ASN1OctetString? {
        // A text that is no IP address is a name.
        guard let address = try? SocketAddress(ipAddress: text, port: 0) else { return nil }
        // Where `sockaddr_in` and `sockaddr_in6` have the address.
        let range =
            switch address {
            case .v4: 4..<8
            case .v6: 8..<24
            case .unixDomainSocket: 0..<0
            }
        return address.withSockAddr { pointer, size in
            let bytes = UnsafeRawBufferPointer(start: pointer, count: size)
            return ASN1OctetString(contentBytes: ArraySlice(bytes[range]))
        }
    }
}
