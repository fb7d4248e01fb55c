//! The body of a push message: encrypted for one browser (RFC 8291), in one record of `aes128gcm` (RFC 8188).

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::aead::{AES_128_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use ring::agreement::{ECDH_P256, EphemeralPrivateKey, UnparsedPublicKey, agree_ephemeral};
use ring::error::Unspecified;
use ring::hkdf::{HKDF_SHA256, KeyType, Salt};
use ring::rand::{SecureRandom as _, SystemRandom};

/// The longest record that every push service has to take.
const RECORD: u32 = 4096;

/// The longest text of a message: a record without its head, the byte behind the text and the tag.
pub(super) const MAX_TEXT: usize = RECORD as usize - 86 - 1 - 16;

/// The keys of a browser's subscription.
pub(super) struct BrowserKeys {
    public: Vec<u8>,
    auth: Vec<u8>,
}

impl BrowserKeys {
    /// Decodes the keys from base64url; `None` if they are invalid.
    pub(super) fn read(p256dh: &str, auth: &str) -> Option<Self> {
        let decode = |text: &str| URL_SAFE_NO_PAD.decode(text.trim_end_matches('=')).ok();
        let keys = Self { public: decode(p256dh)?, auth: decode(auth)? };
        // Only a key agreement checks that the point is on the curve.
        (keys.public.len() == 65 && keys.auth.len() == 16 && keys.encrypt(b"").is_ok()).then_some(keys)
    }

    /// Encrypts a text of at most [`MAX_TEXT`] bytes, by a key of its own.
    pub(super) fn encrypt(&self, text: &[u8]) -> Result<Vec<u8>, Unspecified> {
        let random = SystemRandom::new();
        let mut salt = [0; 16];
        random.fill(&mut salt)?;
        let own = EphemeralPrivateKey::generate(&ECDH_P256, &random)?;
        let own_public = own.compute_public_key()?;
        let theirs = UnparsedPublicKey::new(&ECDH_P256, &self.public);
        agree_ephemeral(own, &theirs, |shared| self.seal(text, shared, own_public.as_ref(), salt))?
    }

    fn seal(&self, text: &[u8], shared: &[u8], own_public: &[u8], salt: [u8; 16]) -> Result<Vec<u8>, Unspecified> {
        let info: [&[u8]; 3] = [b"WebPush: info\0", &self.public, own_public];
        let mut input = [0; 32];
        let agreed = Salt::new(HKDF_SHA256, &self.auth).extract(shared);
        agreed.expand(&info, HKDF_SHA256)?.fill(&mut input)?;
        let secret = Salt::new(HKDF_SHA256, &salt).extract(&input);
        let key = UnboundKey::from(secret.expand(&[b"Content-Encoding: aes128gcm\0"], &AES_128_GCM)?);
        let mut nonce = [0; NONCE_LEN];
        secret.expand(&[b"Content-Encoding: nonce\0"], NonceLength)?.fill(&mut nonce)?;
        // A byte of 2 behind the text marks the last record (RFC 8188, section 2).
        let mut sealed = [text, &[2]].concat();
        let nonce = Nonce::assume_unique_for_key(nonce);
        LessSafeKey::new(key).seal_in_place_append_tag(nonce, Aad::empty(), &mut sealed)?;
        Ok([&salt[..], &RECORD.to_be_bytes(), &[65], own_public, &sealed].concat())
    }
}

struct NonceLength;

impl KeyType for NonceLength {
    fn len(&self) -> usize {
        NONCE_LEN
    }
}

#[cfg(test)]
mod tests {
    use super::{BrowserKeys, URL_SAFE_NO_PAD};
    use base64::Engine as _;

    const PUBLIC: &str = "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4";
    const AUTH: &str = "BTBZMqHH6r4Tts7J_aSIgg";

    #[test]
    fn a_message_is_sealed_as_the_standards_own_example() {
        let decode = |text: &str| URL_SAFE_NO_PAD.decode(text).expect("it is base64");
        let keys = BrowserKeys::read(PUBLIC, AUTH).expect("they are keys");
        let shared = decode("kyrL1jIIOHEzg3sM2ZWRHDRB62YACZhhSlknJ672kSs");
        let own = decode("BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8");
        let salt = decode("DGv6ra1nlYgDCS1FRnbzlw").try_into().expect("it is as long");
        let sealed = keys.seal(b"When I grow up, I want to be a watermelon", &shared, &own, salt).expect("it is short");
        let expected = "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN";
        assert_eq!(URL_SAFE_NO_PAD.encode(sealed), expected);
    }

    #[test]
    fn what_is_no_key_is_refused() {
        let off_the_curve = PUBLIC.replace("iw4", "iw8");
        for (public, auth) in
            [("", AUTH), (PUBLIC, ""), ("AAAA", AUTH), (&*off_the_curve, AUTH), (PUBLIC, "é"), (PUBLIC, PUBLIC)]
        {
            assert!(BrowserKeys::read(public, auth).is_none(), "{public} {auth}");
        }
        assert!(BrowserKeys::read(&format!("{PUBLIC}="), AUTH).is_some());
    }
}
