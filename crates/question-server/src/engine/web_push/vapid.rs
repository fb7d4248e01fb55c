//! The key by which push services know the server (RFC 8292).

use crate::auth::secret::hide_in_debug;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use question_agent::Timestamp;
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair as _};
use serde_json::{Value, json};

/// The time for which a token is valid, in seconds: half of what the standard allows, since clocks differ.
const TOKEN_SECONDS: u64 = 12 * 60 * 60;

pub(super) struct VapidKey(EcdsaKeyPair);

hide_in_debug!(VapidKey);

impl VapidKey {
    /// A new key, as it is stored.
    pub(super) fn generate() -> Option<Vec<u8>> {
        let made = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &SystemRandom::new());
        made.ok().map(|key| key.as_ref().to_vec())
    }

    /// A key as it was stored.
    pub(super) fn read(stored: &[u8]) -> Option<Self> {
        EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, stored, &SystemRandom::new()).ok().map(Self)
    }

    /// The public key, in base64url, as `PushManager.subscribe` takes it.
    pub(super) fn public(&self) -> String {
        URL_SAFE_NO_PAD.encode(self.0.public_key())
    }

    /// The value of `Authorization` for the push service of this origin.
    pub(super) fn authorization(&self, audience: &str, contact: &str, now: Timestamp) -> Option<String> {
        let part = |value: Value| URL_SAFE_NO_PAD.encode(value.to_string());
        let claims = json!({"aud": audience, "exp": now.0 / 1000 + TOKEN_SECONDS, "sub": contact});
        let signed = format!("{}.{}", part(json!({"typ": "JWT", "alg": "ES256"})), part(claims));
        let signature = self.0.sign(&SystemRandom::new(), signed.as_bytes()).ok()?;
        Some(format!("vapid t={signed}.{}, k={}", URL_SAFE_NO_PAD.encode(signature), self.public()))
    }
}
