import OrderDomain

/// Names one phone or terminal; its app chooses the name and keeps it.
struct DeviceID: Identifier {
    let rawValue: String

    init?(rawValue: String) {
        let isWord = rawValue.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
                true
            default: false
            }
        }
        guard (1...64).contains(rawValue.utf8.count), isWord else { return nil }
        self.rawValue = rawValue
    }
}
