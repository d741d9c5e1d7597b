internal import Foundation

extension UnsafeBufferPointer<UInt8> {
    /// Negative where the bytes of the first range sort first, and zero where both are equal.
    func order(of one: Range<Int>, _ other: Range<Int>) -> Int {
        guard let baseAddress else { return 0 }
        let difference = memcmp(
            baseAddress + one.lowerBound, baseAddress + other.lowerBound, Swift.min(one.count, other.count))
        return difference != 0 ? Int(difference) : one.count - other.count
    }

    /// Whether these are the bytes of a range.
    func hasSame(as other: UnsafeBufferPointer<UInt8>, at range: Range<Int>) -> Bool {
        guard range.count == other.count else { return false }
        guard let baseAddress, let start = other.baseAddress else { return true }
        return memcmp(baseAddress + range.lowerBound, start, range.count) == 0
    }
}
