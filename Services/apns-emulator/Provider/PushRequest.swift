import NIOHPACK
import TextCoding

/// The header fields of one request, read once and checked when the body is there.
struct PushRequest: Sendable {
    static let topicSuffix = ".push-type.liveactivity"
    /// Bytes of a collapse id.
    static let collapseIDBytesMax = 64
    private static let pathStart = "/3/device/"

    private(set) var method = ""
    private(set) var path = ""
    private(set) var authority = ""
    private(set) var authorization: String?
    private(set) var id: String?
    private(set) var topic: String?
    private(set) var pushType: String?
    private(set) var priorityText: String?
    private(set) var expirationText: String?
    private(set) var collapseID: String?
    private var hasDuplicates = false

    init(_ headers: HPACKHeaders) {
        for (name, value, _) in headers {
            switch name {
            case ":method": method = value
            case ":path": path = value
            case ":authority": authority = value
            case "authorization": set(\.authorization, value)
            case "apns-id": set(\.id, value)
            case "apns-topic": set(\.topic, value)
            case "apns-push-type": set(\.pushType, value)
            case "apns-priority": set(\.priorityText, value)
            case "apns-expiration": set(\.expirationText, value)
            case "apns-collapse-id": set(\.collapseID, value)
            default: break
            }
        }
    }

    private mutating func set(_ field: WritableKeyPath<PushRequest, String?>, _ value: String) {
        if self[keyPath: field] != nil { hasDuplicates = true }
        self[keyPath: field] = value
    }

    /// The device token of the path in lower case; nil where the path has none.
    var token: String? {
        guard path.hasPrefix(Self.pathStart) else { return nil }
        let token = path.dropFirst(Self.pathStart.count)
        return token.utf8.contains { (UInt8(ascii: "A")...UInt8(ascii: "F")).contains($0) }
            ? token.lowercased() : String(token)
    }

    /// Checks what comes before the provider's token.
    func checkTarget() throws(Refusal) {
        guard path.hasPrefix(Self.pathStart) else { throw Refusal(.badPath) }
        guard method == "POST" else { throw Refusal(.methodNotAllowed) }
    }

    /// The values of the header fields.
    struct Fields: Sendable {
        let token: String
        let topic: String
        let priority: Int
        /// Epoch seconds; nil where the sender left it to the service.
        let expiration: Int?
    }

    /// Checks every field but the provider's token, in the order of Apple's table.
    func fields() throws(Refusal) -> Fields {
        if hasDuplicates { throw Refusal(.duplicateHeaders) }
        if let id, !Self.isUUID(id) { throw Refusal(.badMessageID) }
        var expiration: Int?
        if let expirationText {
            guard let seconds = Int(expirationText), seconds >= 0 else { throw Refusal(.badExpirationDate) }
            expiration = seconds
        }
        guard priorityText == nil || priorityText == "10" || priorityText == "5" else { throw Refusal(.badPriority) }
        if let collapseID, collapseID.utf8.count > Self.collapseIDBytesMax { throw Refusal(.badCollapseID) }
        guard let topic else { throw Refusal(.missingTopic) }
        guard pushType == "liveactivity" else { throw Refusal(.invalidPushType) }
        guard Self.isTopic(topic) else { throw Refusal(.badTopic) }
        guard let token, !token.isEmpty else { throw Refusal(.missingDeviceToken) }
        return Fields(token: token, topic: topic, priority: priorityText == "5" ? 5 : 10, expiration: expiration)
    }

    /// Whether it is 8-4-4-4-12 hex digits, in either case.
    private static func isUUID(_ text: String) -> Bool {
        text.utf8.count == 36
            && text.utf8.enumerated().allSatisfy { index, byte in
                [8, 13, 18, 23].contains(index) ? byte == UInt8(ascii: "-") : byte.hexadecimalDigit != nil
            }
    }

    /// Letters, digits, hyphens and dots, as bundle ids are.
    private static func isTopic(_ text: String) -> Bool {
        (1...255).contains(text.utf8.count)
            && text.utf8.allSatisfy { $0.isASCIILetterOrDigit || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: ".") }
    }
}
