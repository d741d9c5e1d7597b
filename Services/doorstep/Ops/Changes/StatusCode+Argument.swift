import CommandOutput
import OrderDomain

extension StatusCode {
    /// The status that a person wrote.
    ///
    /// - Throws: `CommandFailure` of kind usage that lists them all.
    init(argument text: String) throws(CommandFailure) {
        guard let code = StatusCode(rawValue: text) else {
            let all = StatusCode.allCases.map(\.rawValue).joined(separator: ", ")
            throw CommandFailure(.usage, "there is no status \(text); one of \(all)")
        }
        self = code
    }

    /// Whether a delivery ends with it.
    var isEnd: Bool {
        switch region {
        case .tail(let tail): tail.isEnd
        case .store, .courier: false
        }
    }
}
