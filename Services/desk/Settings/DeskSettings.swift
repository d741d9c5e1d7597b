import AsyncHTTPClient
import Configuration
import DeliveryDiagnosis
import DoorstepAPI
import Foundation
import OpenIDConnect
import ProcessSettings
import WebPages

extension ServiceAddresses {
    /// | Key | Type | Default | Secret |
    /// |---|---|---|---|
    /// | `services.orders.url` | base URL of `orders` | required | no |
    /// | `services.courierEta.url` | of `courier-eta` | required | no |
    /// | `services.activityDispatch.url` | of `activity-dispatch` | required | no |
    /// | `services.partners.url` | of `partners` | none: pages omit its data | no |
    init(reading settings: ConfigReader) throws {
        func url(_ key: String, _ example: String) throws -> String {
            guard let url = try settings.origin(key, example: example) else {
                throw ConfigurationError(key: key, problem: "is not set", fix: "set it, such as to \(example)")
            }
            return url
        }
        var urls: [TimelineEvent.Source: String] = [
            .orders: try url("services.orders.url", "http://orders:8081"),
            .courierETA: try url("services.courierEta.url", "http://courier-eta:8082"),
            .activityDispatch: try url("services.activityDispatch.url", "http://activity-dispatch:8083"),
        ]
        urls[.partners] = try settings.origin("services.partners.url", example: "http://partners:8085")
        self.init(urls)
    }
}

extension IdentityProvider {
    /// | Key | Type | Default | Secret |
    /// |---|---|---|---|
    /// | `oidc.issuer` | the provider's issuer; enables sign-ins by it | – | no |
    /// | `oidc.client.id` | the desk's client id there | required with it | no |
    /// | `oidc.client.secret.file` | path of its secret | required with it | its content |
    /// | `oidc.scopes` | a sign-in's scopes, separated by spaces | `openid profile email groups` | no |
    /// | `oidc.groups.claim` | the claim that has a person's groups | `groups` | no |
    /// | `oidc.groups.viewer` | the group whose people may read | – | no |
    /// | `oidc.groups.dispatcher` | … and change deliveries | – | no |
    /// | `oidc.groups.supervisor` | … and make irreversible changes | – | no |
    init?(reading settings: ConfigReader, origin: String, client: HTTPClient) throws {
        guard let issuer = try settings.text("oidc.issuer") else { return nil }
        guard OpenIDClient.isProtected(issuer), let host = URLComponents(string: issuer)?.host else {
            throw ConfigurationError(
                key: "oidc.issuer", problem: "is \"\(issuer)\", which is no address with TLS",
                fix: "write it as the provider does, such as https://login.example.com")
        }
        let roles = try [
            ("oidc.groups.supervisor", OperatorScope.supervisor), ("oidc.groups.dispatcher", .dispatcher),
            ("oidc.groups.viewer", .viewer),
        ].compactMap { key, role in try settings.text(key).map { (name: $0, role: role) } }
        guard !roles.isEmpty else {
            throw ConfigurationError(
                key: "oidc.groups.viewer", problem: "is not set, nor is another role's group",
                fix: "name the group of one role at least: without it nobody is let in")
        }
        let scopes = (try settings.text("oidc.scopes") ?? "openid profile email groups").split(separator: " ")
        guard scopes.contains("openid") else {
            throw ConfigurationError(
                key: "oidc.scopes", problem: "is without openid", fix: "begin it with openid, such as openid profile")
        }
        self.init(
            OpenIDClient(
                OpenIDConfiguration(
                    issuer: issuer, clientID: try settings.requiredText("oidc.client.id", example: "desk"),
                    clientSecret: try settings.requiredSecret("oidc.client.secret.file"),
                    redirectURI: origin + "/sign-in/callback",
                    groupsClaim: try settings.text("oidc.groups.claim") ?? "groups", scopes: scopes.map(String.init)),
                client: client), name: host, groups: roles)
    }
}

extension MapSettings {
    /// | Key | Type | Default | Secret |
    /// |---|---|---|---|
    /// | `desk.streets.file` | path of streets in GeoJSON, drawn beneath the map | – | no |
    /// | `desk.tiles.file` | path of map images, a PMTiles file that the desk serves itself | – | no |
    /// | `desk.tiles.url` | URL of a tile server's images with `{z}`, `{x}` and `{y}`; its operator sees the viewed areas | – | no |
    /// | `desk.tiles.attribution` | who made the tiles; required with `desk.tiles.url`, else the file's own | – | no |
    init(reading settings: ConfigReader) throws {
        let streets = try settings.text("desk.streets.file").map { path in
            do { return try StreetsFile(contentsOf: path) } catch {
                throw ConfigurationError(
                    key: "desk.streets.file", problem: "\(error)", fix: "name a GeoJSON file of lines, or none")
            }
        }
        self.init(
            streets: streets, images: try MapImages(reading: settings, keys: "desk.tiles", path: "/map/tiles"))
    }
}
