import NIOHTTP1

extension BrowserPage {
    private struct ScriptCall: Encodable {
        let script: String
        let args: [Argument]

        init(_ script: String, _ arguments: [any Encodable & Sendable]) {
            self.script = script
            args = arguments.map(Argument.init)
        }

        struct Argument: Encodable {
            let value: any Encodable & Sendable

            func encode(to encoder: any Encoder) throws { try value.encode(to: encoder) }
        }
    }

    /// Runs the body of a function in the page, whatever the page's own policy allows.
    ///
    /// - Parameters:
    ///   - script: reads its arguments as `arguments[0]` and so on; a promise that it returns is awaited.
    ///   - arguments: an element of the page is the DOM's element in the script.
    /// - Throws: ``WebDriverError`` with the code `javascript error` where the script throws.
    package func execute(_ script: String, _ arguments: any Encodable & Sendable...) async throws {
        try await send(.POST, "/execute/sync", ScriptCall(script, arguments))
    }

    /// Runs the body of a function in the page, regardless of the page's own policy, and reads its result.
    ///
    /// - Parameters:
    ///   - script: reads its arguments as `arguments[0]` and so on; a promise that it returns is awaited.
    ///   - arguments: an element of the page is the DOM's element in the script.
    ///   - as: an optional where the script may return `null` or nothing.
    /// - Throws: ``WebDriverError`` with the code `javascript error` where the script throws.
    package func execute<Value: Decodable>(
        _ script: String, _ arguments: any Encodable & Sendable..., as: Value.Type
    ) async throws -> Value {
        try await send(.POST, "/execute/sync", ScriptCall(script, arguments))
    }

    /// Runs the body of a function in the page, and reads the argument of its callback, which is its last argument.
    ///
    /// - Throws: ``WebDriverError`` with the code `script timeout` where that is not called within a minute.
    package func executeAsync<Value: Decodable>(
        _ script: String, _ arguments: any Encodable & Sendable..., as: Value.Type
    ) async throws -> Value {
        try await send(.POST, "/execute/async", ScriptCall(script, arguments))
    }

    // MARK: Chrome DevTools Protocol

    private struct DevToolsCall<Parameters: Encodable>: Encodable {
        let cmd: String
        let params: Parameters
    }

    /// Sends a command of the Chrome DevTools Protocol, for features without a WebDriver command.
    package func devTools(_ command: String) async throws { try await devTools(command, NoParameters()) }

    /// Sends a command of the Chrome DevTools Protocol, for features without a WebDriver command.
    package func devTools(_ command: String, _ parameters: some Encodable & Sendable) async throws {
        try await send(.POST, "/goog/cdp/execute", DevToolsCall(cmd: command, params: parameters))
    }

    /// Sends a command of the Chrome DevTools Protocol and reads its result.
    package func devTools<Value: Decodable>(
        _ command: String, _ parameters: some Encodable & Sendable, as: Value.Type
    ) async throws -> Value {
        try await send(.POST, "/goog/cdp/execute", DevToolsCall(cmd: command, params: parameters))
    }
}
