import Crypto
import LiveActivity
import Testing

@testable import APNsEmulator

@Suite("Provider tokens on a connection")
struct ConnectionAuthenticationTests {
    let key = ProviderKey()
    let noon = 1_795_262_400
    let topic = "shop.nordhavn.app.push-type.liveactivity"

    /// Why a connection refuses a token; nil where it takes it.
    private func refusal(
        _ text: String?, _ authentication: inout ConnectionAuthentication, keys: [SigningKey]? = nil, version: Int = 0,
        environment: APNsEnvironment = .production, at now: Int? = nil
    ) -> RefusalReason? {
        let byID = Dictionary((keys ?? [key.signingKey]).map { ($0.keyID, $0) }) { $1 }
        do throws(Refusal) {
            try authentication.check(
                text, keys: (version, byID), environment: environment, topic: topic, at: now ?? noon)
            return nil
        } catch { return error.reason }
    }

    private func refusal(_ text: String?) -> RefusalReason? {
        var authentication = ConnectionAuthentication()
        let reason = refusal(text, &authentication)
        #expect(authentication.isAuthenticated == (reason == nil))
        return reason
    }

    @Test("A raw signature and one in DER are both good", arguments: [false, true])
    func signatures(isDER: Bool) throws {
        #expect(refusal(try key.bearer(issuedAt: noon, isDER: isDER)) == nil)
    }

    @Test("No token is missing, and so is what is not a bearer's")
    func missing() throws {
        #expect(refusal(nil) == .missingProviderToken)
        #expect(refusal("") == .missingProviderToken)
        #expect(refusal("Basic dXNlcg==") == .missingProviderToken)
        var authentication = ConnectionAuthentication()
        #expect(refusal(try key.bearer(issuedAt: noon), &authentication) == nil)
        #expect(refusal(nil, &authentication) == .missingProviderToken, "each request names its token")
    }

    @Test("What is not signed by a known key of its team is invalid")
    func invalid() throws {
        #expect(refusal("bearer x") == .invalidProviderToken)
        #expect(refusal("bearer a.b.c") == .invalidProviderToken)
        #expect(refusal(try key.bearer(issuedAt: noon, algorithm: "HS256")) == .invalidProviderToken)
        #expect(refusal(try key.bearer(issuedAt: noon, keyID: "UNKNOWN001")) == .invalidProviderToken)
        #expect(refusal(try key.bearer(issuedAt: noon, teamID: "OTHERTEAM1")) == .invalidProviderToken)
        #expect(refusal(try ProviderKey().bearer(issuedAt: noon)) == .invalidProviderToken)
    }

    @Test("A token is good for an hour from its time, and a time an hour ahead is as bad", arguments: [-1, 1])
    func expiry(direction: Int) throws {
        #expect(refusal(try key.bearer(issuedAt: noon - direction * 3600)) == nil)
        #expect(refusal(try key.bearer(issuedAt: noon - direction * 3601)) == .expiredProviderToken)
    }

    @Test("A token that was verified once on a connection expires there all the same")
    func expiryOfKnown() throws {
        var authentication = ConnectionAuthentication()
        let token = try key.bearer(issuedAt: noon)
        #expect(refusal(token, &authentication) == nil)
        #expect(refusal(token, &authentication, at: noon + 3600) == nil)
        #expect(refusal(token, &authentication, at: noon + 3601) == .expiredProviderToken)
    }

    @Test("Another token within twenty minutes is too many, and the former goes on being good")
    func updates() throws {
        var authentication = ConnectionAuthentication()
        let first = try key.bearer(issuedAt: noon)
        let second = try key.bearer(issuedAt: noon + 60)
        #expect(refusal(first, &authentication) == nil)
        #expect(refusal(second, &authentication, at: noon + 1199) == .tooManyProviderTokenUpdates)
        #expect(refusal(first, &authentication, at: noon + 1199) == nil)
        #expect(refusal(second, &authentication, at: noon + 1200) == nil)
    }

    @Test("A connection is one team's")
    func teams() throws {
        let other = ProviderKey(keyID: "OTHERKEY01", teamID: "OTHERTEAM1")
        var authentication = ConnectionAuthentication()
        let keys = [key.signingKey, other.signingKey]
        #expect(refusal(try key.bearer(issuedAt: noon), &authentication, keys: keys) == nil)
        #expect(
            refusal(try other.bearer(issuedAt: noon), &authentication, keys: keys, at: noon + 1300)
                == .unrelatedKeyIDInToken)
    }

    @Test("A key of one environment is bad in the other, and a key of one topic in others")
    func scopes() throws {
        var sandboxKey = key.signingKey
        sandboxKey.environments = [.sandbox]
        var authentication = ConnectionAuthentication()
        let token = try key.bearer(issuedAt: noon)
        #expect(refusal(token, &authentication, keys: [sandboxKey]) == .badEnvironmentKeyIDInToken)
        #expect(refusal(token, &authentication, keys: [sandboxKey], environment: .sandbox) == nil)
        var topicKey = key.signingKey
        topicKey.topics = ["other.app.push-type.liveactivity"]
        #expect(refusal(token, &authentication, keys: [topicKey], version: 1) == .topicDisallowed)
    }

    @Test("A revoked key is refused on connections that used it")
    func revoked() throws {
        var authentication = ConnectionAuthentication()
        let token = try key.bearer(issuedAt: noon)
        #expect(refusal(token, &authentication) == nil)
        #expect(refusal(token, &authentication, keys: [], version: 1) == .invalidProviderToken)
        let successor = ProviderKey(keyID: key.keyID).signingKey
        #expect(refusal(token, &authentication, keys: [successor], version: 2) == .invalidProviderToken)
    }
}
