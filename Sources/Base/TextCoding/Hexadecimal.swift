/// Bytes as hexadecimal digits: two each, in lower case.
public enum Hexadecimal {
    public static func encode(_ bytes: some Sequence<UInt8>) -> String {
        bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }
}
