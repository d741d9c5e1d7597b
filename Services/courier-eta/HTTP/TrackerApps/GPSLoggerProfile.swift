/// The settings that make GPSLogger send where `address` is, as the app's `.properties` file.
struct GPSLoggerProfile: Sendable {
    /// The ingest URL, with the phone's token in its path.
    let address: String

    /// Seconds between two positions while on the road.
    static let intervalSeconds = 15

    /// The template of the form that the app sends.
    static let template = "lat=%LAT&lon=%LON&timestamp=%TIMESTAMP&acc=%ACC&spd=%SPD&dir=%DIR&batt=%BATT"

    var text: String {
        [
            ("current_profile_name", "Doorstep"),
            ("log_customurl_enabled", "true"),
            ("log_customurl_url", address),
            ("log_customurl_method", "POST"),
            ("log_customurl_headers", "Content-Type: application/x-www-form-urlencoded"),
            ("log_customurl_body", Self.template),
            // The app sends failed fixes later, from its own file.
            ("autocustomurl_enabled", "true"),
            ("autosend_enabled", "true"),
            ("autosend_frequency_minutes", "5"),
            ("log_plain_text", "true"),
            ("log_gpx", "false"),
            ("log_network_locations", "false"),
            ("time_before_logging", "\(Self.intervalSeconds)"),
            ("distance_before_logging", "0"),
            ("accuracy_before_logging", "100"),
            ("keep_fix", "true"),
        ].map { "\($0.0)=\($0.1)\n" }.joined()
    }
}
