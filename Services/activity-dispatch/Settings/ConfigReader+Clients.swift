import APNsClient
import Configuration
import ProcessSettings
import WebPushClient

extension ConfigReader {
    /// Refuses settings of a client whose key is not set.
    ///
    /// - Parameter fix: the value of the key's setting, for people.
    /// - Throws: `ConfigurationError` that names the key.
    func refuse(_ others: [String], without key: String, fix: String) throws {
        for other in others where try text(other) != nil {
            throw ConfigurationError(
                key: key, problem: "is not set, and \(other) is",
                fix: "set \(waysToSet(key)) to \(fix), or leave \(other) out")
        }
    }
}

/// Converts the clients' configuration errors into errors of the settings.
func checked<Value>(_ make: () throws -> Value) throws -> Value {
    do {
        return try make()
    } catch let error as APNsConfigurationError {
        throw ConfigurationError(key: error.setting, problem: error.problem, fix: error.advice)
    } catch let error as WebPushConfigurationError {
        throw ConfigurationError(key: error.setting, problem: error.problem, fix: error.advice)
    }
}
