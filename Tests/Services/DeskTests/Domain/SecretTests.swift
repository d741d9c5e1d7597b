import Foundation
import Testing

@testable import Desk

@Suite("Secrets of sessions and links")
struct SecretTests {
    @Test("One is 32 bytes in 43 characters, read again as it was, and nothing else is one")
    func text() throws {
        let secret = Secret(random: { 255 })
        #expect(secret.text == String(repeating: "_", count: 42) + "8")
        #expect(Secret(secret.text) == secret)
        for bad in ["", "x", secret.text + "a", secret.text.dropLast() + "=", secret.text.dropLast() + "é"] {
            #expect(Secret(String(bad)) == nil, "\(bad)")
        }
        #expect(Secret() != Secret())
    }

    @Test("A form's token is its session's and no other's, and says nothing of the secret")
    func formToken() {
        let (one, two) = (Secret(), Secret())
        #expect(one.isFormToken(one.formToken) && !one.isFormToken(two.formToken))
        #expect(!one.isFormToken("") && !one.isFormToken("%%%") && !one.isFormToken(one.text))
        #expect(!one.formToken.contains(one.text) && one.hash != two.hash)
    }
}
