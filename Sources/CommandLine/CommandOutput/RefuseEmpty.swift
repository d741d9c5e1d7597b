package import ArgumentParser

/// Refuses options that are given without a text, as by a script's variable that is not set: an empty filter would
/// list everything.
///
/// - Parameter options: each with its name, such as `--store`; nil where it is not given.
/// - Throws: `ValidationError` that names the first of them.
package func refuseEmpty(_ options: [(name: String, text: String?)]) throws(ValidationError) {
    for option in options {
        guard let text = option.text, text.allSatisfy(\.isWhitespace) else { continue }
        throw ValidationError("\(option.name) is empty; is a variable of the script not set?")
    }
}
