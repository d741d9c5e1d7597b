internal import Foundation
internal import NIOHPACK

/// The headers of the requests of one connection, in the order and with the hints for compression that Apple asks for.
///
/// `:path` and `authorization` are written out each time; `apns-id` and `apns-expiration` are indexed once, so that
/// their names are in the table, and written out from then on; the rest is indexed.
/// - Source: Apple, "Sending notification requests to APNs".
struct RequestHeaders {
    private let authority: String
    private var isIDIndexed = false

    init(authority: String) { self.authority = authority }

    mutating func headers(for request: APNsRequest, authorization: String) -> HPACKHeaders {
        var headers = HPACKHeaders()
        headers.reserveCapacity(10)
        headers.add(name: ":method", value: "POST")
        headers.add(name: ":scheme", value: "https")
        headers.add(name: ":path", value: Self.path(of: request.token), indexing: .nonIndexable)
        headers.add(name: ":authority", value: authority)
        headers.add(name: "authorization", value: authorization, indexing: .nonIndexable)
        headers.add(name: "apns-push-type", value: "liveactivity")
        headers.add(name: "apns-topic", value: request.topic)
        headers.add(name: "apns-priority", value: request.priority == .immediate ? "10" : "5")
        let once: HPACKIndexing = isIDIndexed ? .nonIndexable : .indexable
        isIDIndexed = true
        headers.add(name: "apns-id", value: request.id.lowercaseText, indexing: once)
        headers.add(name: "apns-expiration", value: String(request.expiration), indexing: once)
        return headers
    }

    private static func path(of token: String) -> String {
        let isLowercase = !token.utf8.contains { (UInt8(ascii: "A")...UInt8(ascii: "F")).contains($0) }
        return "/3/device/" + (isLowercase ? token : token.lowercased())
    }
}

extension UUID {
    /// 36 lower-case characters, in one allocation.
    var lowercaseText: String {
        String(unsafeUninitializedCapacity: 36) { text in
            var place = 0
            withUnsafeBytes(of: uuid) { bytes in
                for (index, byte) in bytes.enumerated() {
                    if [4, 6, 8, 10].contains(index) {
                        text[place] = UInt8(ascii: "-")
                        place += 1
                    }
                    text[place] = Self.digit(byte >> 4)
                    text[place + 1] = Self.digit(byte & 0xf)
                    place += 2
                }
            }
            return place
        }
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") + value - 10
    }
}
