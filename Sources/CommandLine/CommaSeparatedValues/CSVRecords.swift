/// Comma-separated values (RFC 4180) as records of text, handed over one at a time.
///
/// A field in double quotes may hold commas, line breaks and doubled quotes; a quote elsewhere is an ordinary character.
/// Records end with LF, CRLF or CR; the last one may end with the file. Blank lines are skipped, and so is a byte order
/// mark. Bytes that are no UTF-8 become U+FFFD.
struct CSVRecords {
    let bytes: UnsafeRawBufferPointer

    private var index = 0
    private var line = 1

    init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { index = 3 }
    }

    /// The next record with the line that it starts on, counted from 1; nil after the last.
    ///
    /// - Throws: ``CSVFault`` for a quoted field that does not end, or that has text after its closing quote.
    mutating func next() throws(CSVFault) -> (line: Int, fields: [String])? {
        while index < bytes.count, isLineBreak(bytes[index]) { skipLineBreak() }
        guard index < bytes.count else { return nil }
        let start = line
        var fields: [String] = []
        while true {
            fields.append(try field())
            guard index < bytes.count else { return (start, fields) }
            if bytes[index] == UInt8(ascii: ",") {
                index += 1
            } else {
                skipLineBreak()
                return (start, fields)
            }
        }
    }

    /// Reads up to the comma, the line break or the end after a field.
    private mutating func field() throws(CSVFault) -> String {
        if index < bytes.count, bytes[index] == UInt8(ascii: "\"") { return try quotedField() }
        let start = index
        while index < bytes.count, bytes[index] != UInt8(ascii: ","), !isLineBreak(bytes[index]) { index += 1 }
        return String(decoding: bytes[start..<index], as: UTF8.self)
    }

    private mutating func quotedField() throws(CSVFault) -> String {
        let startLine = line
        var text: [UInt8] = []
        index += 1
        while index < bytes.count {
            let byte = bytes[index]
            if byte == UInt8(ascii: "\"") {
                index += 1
                guard index < bytes.count, bytes[index] == byte else {
                    guard index == bytes.count || bytes[index] == UInt8(ascii: ",") || isLineBreak(bytes[index]) else {
                        throw CSVFault(line: line, problem: "a field goes on after its closing quote")
                    }
                    return String(decoding: text, as: UTF8.self)
                }
            } else if isLineBreak(byte), !isFirstOfTwo(byte) {
                line += 1
            }
            text.append(byte)
            index += 1
        }
        throw CSVFault(line: startLine, problem: "a quoted field does not end")
    }

    private func isLineBreak(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") }

    /// Whether it is the CR of a CRLF, which counts as one line break with its LF.
    private func isFirstOfTwo(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "\r") && index + 1 < bytes.count && bytes[index + 1] == UInt8(ascii: "\n")
    }

    private mutating func skipLineBreak() {
        index += isFirstOfTwo(bytes[index]) ? 2 : 1
        line += 1
    }
}

/// A fault in a CSV file, with its line.
package struct CSVFault: Error, Equatable, CustomStringConvertible {
    /// Counted from 1.
    package let line: Int
    package let problem: String

    package var description: String { "line \(line): \(problem)" }
}
