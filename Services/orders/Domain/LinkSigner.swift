import Crypto
import Foundation
import LiveActivity
import Messages
import OrderDomain
import TextCoding

/// Encodes links as signed URLs, and decodes and verifies them.
///
/// A link's token is base64url, without padding, of: key id (1 byte), delivery (16), verb (1), target (2),
/// expiry (4, big-endian), HMAC-SHA256 of all that (32): 56 bytes, 75 characters.
/// Nothing in it is random, so a link has the same bytes each time it is rendered.
struct LinkSigner: Sendable {
    /// Characters that a customer's link has at most, its origin included.
    static let urlCharactersMax = 120

    /// The byte in place of a verb's; a version without such links finds no verb for it.
    private static let viewByte: UInt8 = 7

    /// The origin of links, before `/l/`, such as `https://go.nordhavn.example`.
    let origin: String
    let keys: [UInt8: SymmetricKey]
    let signingKeyID: UInt8

    /// - Parameters:
    ///   - origin: the part before `/l/`, such as `https://go.nordhavn.example`; at most 42 characters.
    ///   - keys: by id; all verify.
    ///   - signing: the id of the key that signs; nil where none is in use.
    /// - Throws: ``LinkKeyError``.
    init(origin: String, keys: [UInt8: [UInt8]], signing: UInt8?) throws(LinkKeyError) {
        guard !keys.isEmpty else { throw .noKeys }
        guard let signing, keys[signing] != nil else { throw .noneInUse }
        for (id, bytes) in keys where bytes.count < 32 { throw .tooShort(id) }
        guard origin.utf8.count + "/l/".utf8.count + 75 <= Self.urlCharactersMax else { throw .originTooLong(origin) }
        self.origin = origin
        self.keys = keys.mapValues { SymmetricKey(data: $0) }
        signingKeyID = signing
    }

    /// The legal links of a delivery, signed.
    func links(for delivery: Delivery) -> [DeliveryLink] {
        Link.legal(for: delivery).map { DeliveryLink(verb: $0.verb.rawValue, url: url(of: $0)) }
    }

    func url(of link: Link) -> String { "\(origin)/l/\(token(of: link))" }

    func token(of link: Link) -> String {
        var bytes: [UInt8] = [signingKeyID]
        bytes += withUnsafeBytes(of: link.delivery.uuid.uuid) { Array($0) }
        bytes.append(link.isShared ? Self.viewByte : link.verb.byte)
        switch link.target {
        case .delivery: bytes += [0, 0]
        case .episode(let number): bytes += [number, 0]
        case .handoff(let episode, let changes): bytes += [episode, changes]
        case .view(let number): bytes += withUnsafeBytes(of: number.bigEndian) { Array($0) }
        case .proposal(let item, let number): bytes += [item, number]
        }
        bytes += withUnsafeBytes(of: link.expiresAt.bigEndian) { Array($0) }
        bytes += Array(HMAC<SHA256>.authenticationCode(for: bytes, using: signingKey))
        return Base64URL.encode(bytes)
    }

    var signingKey: SymmetricKey {
        guard let key = keys[signingKeyID] else { preconditionFailure("the signing key is one of the keys") }
        return key
    }

    /// The link of a token; nil when the signature, the key, the verb or the spelling is invalid.
    func link(from token: String) -> Link? {
        guard token.utf8.count == 75, let bytes = Base64URL.decode(token), bytes.count == 56 else { return nil }
        guard let key = keys[bytes[0]],
            // Compares in constant time.
            HMAC<SHA256>.isValidAuthenticationCode(bytes[24...], authenticating: bytes[..<24], using: key),
            let verb = bytes[17] == Self.viewByte ? .details : Verb(byte: bytes[17])
        else { return nil }
        let uuid = bytes[1..<17].withUnsafeBytes { $0.loadUnaligned(as: uuid_t.self) }
        let target: Link.Target
        switch verb {
        case .approveSubstitution, .refuseSubstitution: target = .proposal(item: bytes[18], number: bytes[19])
        case .leaveAtDoor, .handToMe: target = .handoff(episode: bytes[18], changes: bytes[19])
        case .cancel, .feedback: target = .episode(bytes[18])
        case .details where bytes[17] == Self.viewByte:
            target = .view(number: UInt16(bytes[18]) << 8 | UInt16(bytes[19]))
        case .details, .contactCourier: target = .delivery
        }
        return Link(
            delivery: DeliveryID(UUID(uuid: uuid)), verb: verb, target: target,
            expiresAt: bytes[20..<24].reduce(0) { $0 << 8 | UInt32($1) })
    }
}

/// The reason why links cannot be signed with the configuration.
enum LinkKeyError: Error, Hashable, Sendable {
    case noKeys
    /// Every key waits to sign, or signs no more.
    case noneInUse
    case tooShort(UInt8)
    case originTooLong(String)
}

extension Verb {
    /// The verb's byte in a link; never reused.
    fileprivate var byte: UInt8 {
        switch self {
        case .details: 1
        case .contactCourier: 2
        case .leaveAtDoor: 3
        case .approveSubstitution: 4
        case .refuseSubstitution: 5
        case .cancel: 6
        // 7 is that of a link that only shows a delivery.
        case .handToMe: 8
        case .feedback: 9
        }
    }

    fileprivate init?(byte: UInt8) {
        guard let verb = Verb.allCases.first(where: { $0.byte == byte }) else { return nil }
        self = verb
    }
}
