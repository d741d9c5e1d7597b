internal import Crypto

/// The content encoding `aes128gcm` for content that fits one record.
///
/// - Source: RFC 8188.
enum ContentEncoding {
    static let name = "aes128gcm"
    static let saltBytes = 16
    /// The record size in the header; a push message has exactly one record, as RFC 8291, section 4, demands.
    static let recordSize: UInt32 = 4_096
    /// Bytes that a record adds to its content: the delimiter and the authentication tag.
    static let recordOverhead = 1 + 16

    /// Header and record.
    /// - Parameters:
    ///   - inputKey: the input of the derivation of the record's key and nonce.
    ///   - salt: 16 random bytes, never reused with the same key.
    ///   - keyID: the reader's key id; at most 255 bytes.
    static func encode(
        _ content: [UInt8], inputKey: SymmetricKey, salt: [UInt8], keyID: [UInt8]
    ) throws -> [UInt8] {
        precondition(salt.count == saltBytes, "A salt has 16 bytes")
        precondition(content.count + recordOverhead <= recordSize, "The content fits one record")
        let key = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: inputKey, salt: salt, info: Array("Content-Encoding: aes128gcm\0".utf8),
            outputByteCount: 16)
        let nonce = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: inputKey, salt: salt, info: Array("Content-Encoding: nonce\0".utf8), outputByteCount: 12)
        // The nonce of the first record is the derived one itself; 2 ends the content of the last record.
        let sealed = try AES.GCM.seal(
            content + [2], using: key, nonce: AES.GCM.Nonce(data: nonce.withUnsafeBytes { Array($0) }))

        var body = salt
        body.reserveCapacity(saltBytes + 5 + keyID.count + content.count + recordOverhead)
        withUnsafeBytes(of: recordSize.bigEndian) { body.append(contentsOf: $0) }
        body.append(UInt8(keyID.count))
        body.append(contentsOf: keyID)
        body.append(contentsOf: sealed.ciphertext)
        body.append(contentsOf: sealed.tag)
        return body
    }
}
