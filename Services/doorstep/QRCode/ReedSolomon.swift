/// Reed–Solomon codewords over GF(2^8) with the polynomial x^8 + x^4 + x^3 + x^2 + 1 (ISO/IEC 18004 section 7.5.2).
struct ReedSolomon: Sendable {
    /// The generator polynomial's coefficients, the highest power first, without its leading 1.
    private let generator: [UInt8]

    /// - Parameter degree: how many codewords are made.
    init(degree: Int) {
        // The product of (x − 2^i).
        var coefficients = [UInt8](repeating: 0, count: degree - 1) + [1]
        var root: UInt8 = 1
        for _ in 0..<degree {
            for index in 0..<degree {
                coefficients[index] = Self.product(coefficients[index], root)
                if index + 1 < degree { coefficients[index] ^= coefficients[index + 1] }
            }
            root = Self.product(root, 2)
        }
        generator = coefficients
    }

    /// The codewords that correct `data`.
    func remainder(of data: some Sequence<UInt8>) -> [UInt8] {
        var rest = [UInt8](repeating: 0, count: generator.count)
        for byte in data {
            let factor = byte ^ rest.removeFirst()
            rest.append(0)
            for index in rest.indices { rest[index] ^= Self.product(generator[index], factor) }
        }
        return rest
    }

    /// The product of two elements of the field.
    static func product(_ one: UInt8, _ other: UInt8) -> UInt8 {
        var product: UInt8 = 0
        for bit in (0..<8).reversed() {
            let carry = product & 0x80 != 0
            product = product << 1 ^ (carry ? 0x1D : 0)
            if other >> UInt8(bit) & 1 == 1 { product ^= one }
        }
        return product
    }
}
