// Exits 0 if the body on standard input was signed with WEBHOOK_SECRET in the last five minutes, else 1. The secret is
// whsec_… for signatures v1, and the public key whpk_… for v1a.
//
//     node verify.mjs WEBHOOK_ID WEBHOOK_TIMESTAMP WEBHOOK_SIGNATURE < body
import { createHmac, createPublicKey, timingSafeEqual, verify as verifyEd25519 } from "node:crypto";
import { readFileSync } from "node:fs";

const toleranceSeconds = 300;

/**
 * Takes the body as it was received: parsed and written again, it has another signature.
 *
 * @param {string} secret
 * @param {{ id: string, timestamp: string, signature: string }} headers
 * @param {Uint8Array} body
 * @returns {boolean}
 */
export function verify(secret, headers, body) {
  const { id, timestamp, signature } = headers;
  if (!/^[0-9]{1,12}$/.test(timestamp)) return false;
  if (Math.abs(Date.now() / 1000 - Number(timestamp)) > toleranceSeconds) return false;
  const content = Buffer.concat([Buffer.from(`${id}.${timestamp}.`), body]);
  const key = Buffer.from(secret.replace(/^wh(sec|pk)_/, ""), "base64");
  const isAsymmetric = secret.startsWith("whpk_");
  // While one secret replaces another there are several signatures.
  return signature.split(" ").some((one) => {
    const [version, text] = one.split(",", 2);
    const code = Buffer.from(text ?? "", "base64");
    if (isAsymmetric) {
      const jwk = { kty: "OKP", crv: "Ed25519", x: key.toString("base64url") };
      return version === "v1a" && verifyEd25519(null, content, createPublicKey({ key: jwk, format: "jwk" }), code);
    }
    const expected = createHmac("sha256", key).update(content).digest();
    return version === "v1" && code.length === expected.length && timingSafeEqual(code, expected);
  });
}

const [id, timestamp, signature] = process.argv.slice(2);
if (signature !== undefined) {
  const secret = process.env.WEBHOOK_SECRET ?? "";
  process.exitCode = verify(secret, { id, timestamp, signature }, readFileSync(0)) ? 0 : 1;
}
