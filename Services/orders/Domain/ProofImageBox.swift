import OrderDomain
import TextCoding

/// Seals photos and signatures, each for its delivery, with the keys of customers' PINs.
struct ProofImageBox: Sendable {
    private let box: SecretBox

    init(_ box: SecretBox) { self.box = box }

    /// The image, sealed.
    ///
    /// - Throws: an error of the cryptographic library.
    func seal(_ image: ProofImage, of delivery: DeliveryID) throws -> [UInt8] {
        try box.seal(bytes: image.bytes, of: Self.owner(image.hash, delivery))
    }

    /// The image's bytes; nil where they are another delivery's, damaged, or sealed with a key that is missing.
    func open(_ sealed: [UInt8], hash: String, of delivery: DeliveryID) -> [UInt8]? {
        // Any failure means that it cannot be read; its reader is told that there is none.
        try? box.bytes(in: sealed, of: Self.owner(hash, delivery))
    }

    private static func owner(_ hash: String, _ delivery: DeliveryID) -> String { "image \(delivery) \(hash)" }
}
