package import Configuration
internal import Foundation
internal import SystemPackage

/// A process's settings: flags, then its environment, then a JSON file, then defaults.
///
/// The key `http.port` is the flag `--http-port`, the variable `HTTP_PORT` and `{"http": {"port": …}}` in the file that
/// `--config-file` or `CONFIG_FILE` names.
///
/// - Parameters:
///   - service: the process's name, such as `orders`; stored as the key `service.name`.
///   - arguments: without the executable's name.
///   - defaults: values of this service by key, such as `["http.port": "8081"]`.
/// - Throws: ``ConfigurationError`` when an argument is no flag, or the file is missing or no JSON object.
package func readSettings(
    service: String, arguments: [String], environment: [String: String] = ProcessInfo.processInfo.environment,
    defaults: [String: String] = [:]
) async throws -> ConfigReader {
    if let stray = arguments.first, !stray.hasPrefix("--") {
        throw ConfigurationError(
            key: stray, problem: "is not a flag", fix: "flags look like --http-port 8081; see the configuration page")
    }
    let flags = CommandLineArgumentsProvider(arguments: [service] + arguments)
    // Names that differ in case alone would be one key twice.
    let variables = Dictionary(
        environment.map { ($0.key.uppercased(), $0.value) }, uniquingKeysWith: { first, _ in first })
    let process = EnvironmentVariablesProvider(environmentVariables: variables)
    var providers: [any ConfigProvider] = [flags, process]
    if let path = ConfigReader(providers: providers).string(forKey: "config.file") {
        do {
            providers.append(try await FileProvider<JSONSnapshot>(filePath: FilePath(path)))
        } catch {
            throw ConfigurationError(
                key: "config.file", problem: "names \(path), which cannot be read as JSON (\(error))",
                fix: "correct the file, or leave out --config-file and CONFIG_FILE")
        }
    }
    var values = defaults
    values["service.name"] = service
    let fallbacks = values.map { (AbsoluteConfigKey($0.key.split(separator: ".").map(String.init)), $0.value) }
    providers.append(
        InMemoryProvider(
            name: "defaults",
            values: Dictionary(
                uniqueKeysWithValues: fallbacks.map { ($0.0, ConfigValue(.string($0.1), isSecret: false)) })))
    return ConfigReader(providers: providers)
}
