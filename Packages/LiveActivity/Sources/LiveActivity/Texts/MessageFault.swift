/// Why a text cannot be shown, and where in it.
public struct MessageFault: Error, Hashable, Sendable, CustomStringConvertible {
    public enum Reason: Hashable, Sendable {
        case empty
        case unclosed
        case unexpected(Character)
        case unknownKind(String)
        case noBranchOther
        /// A branch within more than sixteen others.
        case tooDeep
        /// A value in a form that this text does not give it in, such as a name as a time.
        case otherKind(String)
        /// A value that may be absent, without a `select` around it that has a branch for that.
        case maybeAbsent(String)
        /// A value that is not given for this text.
        case unknownValue(String)
        /// A plural form that numbers do not have in the language.
        case unknownForm(String)
    }

    public let reason: Reason
    /// Characters before it, from 0.
    public let offset: Int

    /// `character 12: {name} is no value of this text`.
    public var description: String {
        let problem =
            switch reason {
            case .empty: "the text is empty"
            case .unclosed: "a brace or a quotation is not closed"
            case .unexpected(let character): "\"\(character)\" is not expected here"
            case .unknownKind(let kind): "\"\(kind)\" is no kind of value"
            case .tooDeep: "more than 16 branches are within each other"
            case .otherKind(let name): "{\(name)} is given in another form, as the text that is compiled in has it"
            case .maybeAbsent(let name): "{\(name)} may be absent: write {\(name), select, none {…} other {…}}"
            case .noBranchOther: "the branch \"other\" is missing"
            case .unknownValue(let name): "{\(name)} is no value of this text"
            case .unknownForm(let form): "numbers have no plural form \"\(form)\" in this language"
            }
        return "character \(offset + 1): \(problem)"
    }
}
