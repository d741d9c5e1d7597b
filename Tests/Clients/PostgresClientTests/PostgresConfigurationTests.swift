import PostgresClient
import Testing

@Suite("Configuration")
struct PostgresConfigurationTests {
    @Test("A URL holds every parameter, encoded characters included")
    func url() throws {
        let configuration = try PostgresConfiguration(
            url: "postgres://ann:p%40ss%2Fword@db.example:6543/shop?sslmode=verify-full&sslrootcert=/ca.pem"
                + "&search_path=orders&application_name=orders&options=-c%20work_mem%3D8MB")
        #expect(configuration.host == "db.example")
        #expect(configuration.port == 6543)
        #expect(configuration.user == "ann")
        #expect(configuration.password == "p@ss/word")
        #expect(configuration.database == "shop")
        #expect(configuration.sslMode == "verify-full")
        #expect(configuration.sslRootCertificate == "/ca.pem")
        #expect(configuration.schema == "orders")
        #expect(configuration.options == "-c work_mem=8MB")
    }

    @Test("What a URL leaves out has a default")
    func defaults() throws {
        let configuration = try PostgresConfiguration(url: "postgresql://ann@localhost")
        #expect(configuration.port == 5432)
        #expect(configuration.database == "ann")
        #expect(configuration.password == nil)
        #expect(try PostgresConfiguration(url: "postgres://u@[::1]:7/d").host == "::1")
        #expect(try PostgresConfiguration(url: "postgres://u@%2Frun%2Fpg/d").host == "/run/pg")
    }

    @Test("A URL may list servers, which are tried in its order, and say which of them are good enough")
    func servers() throws {
        let configuration = try PostgresConfiguration(
            url: "postgres://ann:p%2Cw@one:5433,two,[::1]:7/shop?target_session_attrs=primary")
        #expect(configuration.description == "postgres://ann:***@one:5433,two:5432,::1:7/shop")
        #expect(configuration.password == "p,w")
        #expect(configuration.sessionKind == .primary)
        #expect(try PostgresConfiguration(url: "postgres://ann@one/shop").sessionKind == .readWrite)
    }

    @Test("The password is never printed")
    func redaction() throws {
        let configuration = try PostgresConfiguration(url: "postgres://ann:secret@db/shop")
        #expect(configuration.description == "postgres://ann:***@db:5432/shop")
        #expect(!"\(configuration)".contains("secret"))
        #expect(!String(reflecting: configuration).contains("secret"))
    }

    @Test(
        "What cannot be understood is refused",
        arguments: [
            "", "mysql://a@b/c", "postgres://a@b/c?ssl=1", "postgres://a@b,/c", "postgres://a@b,c:x/d",
            "postgres://a@b/c?target_session_attrs=standby",
        ])
    func refused(_ url: String) {
        let error = #expect(throws: PostgresError.self) { try PostgresConfiguration(url: url) }
        #expect(error?.code == .configuration)
    }
}
