package import Foundation

/// Levels of lists and objects in each other that a body may have; our own have six at most.
package let bodyDepthMax = 32

/// Whether lists and objects are nested deeper than `depthMax`, in one pass over the bytes.
///
/// It reads no further than the first excess, and checks nothing else: the decoder refuses text that is not JSON.
package func isNested(deeperThan depthMax: Int, _ body: Data) -> Bool {
    var depth = 0
    var isInText = false
    var isEscaped = false
    for byte in body {
        if isInText {
            if isEscaped {
                isEscaped = false
            } else if byte == UInt8(ascii: "\\") {
                isEscaped = true
            } else if byte == UInt8(ascii: "\"") {
                isInText = false
            }
            continue
        }
        switch byte {
        case UInt8(ascii: "\""): isInText = true
        case UInt8(ascii: "["), UInt8(ascii: "{"):
            depth += 1
            if depth > depthMax { return true }
        case UInt8(ascii: "]"), UInt8(ascii: "}"): depth -= 1
        default: break
        }
    }
    return false
}
