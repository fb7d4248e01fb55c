//! Labels that mean "Other": repair leaves them out, and a card holds them back until they mean something else.

use crate::feeding::shown as fed;
use crate::generate::config;
use proptest::prelude::*;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

const OTHER: &str = "Other|other|OTHER…|Other (please specify)|Other – I’ll describe it|Something else|Something else: type your own answer|\
    Other option|Andere|Sonstiges (bitte angeben)|Etwas anderes…|Otra opción|OTRO (por favor, especifique)|Autre|Autre chose|\
    Quelque chose d’autre|Autre (à préciser)|その他|その他（自由記述）|其他|其它（请说明）|أخرى|أخرى (يرجى التحديد)|Другое|Others|Otros|Otras|Outros|Outra|\
    Altro|Autres|Another option|Something different|Sonstige|Eigene Angabe|Freitext|Custom answer|Enter your own|Type my own|Write your own|\
    Respuesta propia|Réponse libre|Algo diferente|Другой вариант|غير ذلك|شيء آخر|خيار آخر|それ以外|自由記入|自己输入|Type my own answer|その他（自由記入）|\
    自定义|✏️ Other|Other 🖊️|Inne|Inna odpowiedź|Inny (proszę podać)|Inne: wpisz|Inna opcja|Inna (proszę podać)|Altra risposta|(Other)|[Other]|\
    Something else entirely|Type something.|Let me type|I’ll describe it|Anders, namelijk|Iets anders|Annat|\
    Noget andet|Noe annet|Jokin muu|Diğer (lütfen belirtin)|Başka bir şey|Jiné|Egyéb|Altceva|Άλλο|Інше|Khác|Lainnya|기타 (직접 입력)|อื่นๆ|अन्य|אחר|سایر|\
    Другое (укажите)|Інше (уточніть)|Inne (podaj)|Jiné (uveďte)|その他（入力してください）|Lainnya (sebutkan)|Khác (ghi rõ)|อื่น ๆ (โปรดระบุ)";

const OWN: &str = "Other branch|Other (S3)|Other (DE)|Another|Something|Something elsewhere|Otherwise|Other type|Mother|None of these|Andere Farbe|\
    Anderswo|Otra vez|Otro modelo|Autre couleur|Autrement|その他の方法|その他（S3）|其他人|Outra cor|Altrove|آخر الشهر|Keine davon|None of the above|Custom domain|Another branch|🎨 Colour|Eigene Domain|Inne miasto|Innego dnia|Inna|Altra|Inna Wolf|Anders|\
    Anders Berg|(S3) Other|Let me think|Type A|Free text|Custom response|Custom input|Diğer şube|기타리스트|Khác biệt|Drugo mesto";

/// The text of an ask up to the end of its first label.
fn open(label: &str) -> String {
    format!(r#"{{"questions":[{{"question":"Q","options":["{label}"#)
}

/// The first label that is shown of a text, fed by the character.
fn shown(text: &str) -> Option<String> {
    Some(fed(text, 1).questions.first()?.options.first()?.label.text.clone())
}

/// The first label of the whole ask, if that is no "Other".
fn kept(label: &str) -> Option<String> {
    let ask = question_compat::from_arguments(&(open(label) + r#""]}]}"#))?;
    Some(ask.questions[0].options.first()?.label.clone())
}

#[test]
fn only_an_invitation_to_type_is_other() {
    for label in OTHER.split('|') {
        assert_eq!(kept(label), None, "{label}");
        for (cut, _) in label.char_indices() {
            assert_eq!(shown(&open(&label[..cut])), None, "{}", &label[..cut]);
        }
    }
    for label in OWN.split('|') {
        assert_eq!(kept(label).as_deref(), Some(label));
    }
}

#[test]
fn a_label_is_shown_as_soon_as_it_cannot_be_other() {
    for (held, own) in [
        ("", "U"),
        ("O", "Or"),
        ("Other", "Otherw"),
        ("Other ", "Other b"),
        ("Other pl", "Other pla"),
        ("Other (f", "Other (fu"),
        ("Something e", "Something ea"),
        ("Other (free t", "Other (free to"),
        ("Other (free form", "Other (free forms"),
    ] {
        assert_eq!(shown(&open(held)), None, "{held}");
        assert_eq!(shown(&open(own)).as_deref(), Some(own));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4 * config().cases, ..config() })]

    #[test]
    fn what_is_shown_of_a_label_stays(pieces in prop::collection::vec(prop::sample::select(vec![
        "other", "s", " ", "Something Else", "please", "pl", "specify", "(", "your", "you", "x", "’", "é", "Andere", "Otra", "opci", "ón", "その他", "（", "記入",
    ]), 0..6)) {
        let label = pieces.concat();
        let whole = kept(&label).unwrap_or_default();
        for (cut, _) in label.char_indices() {
            let shown = shown(&open(&label[..cut])).unwrap_or_default();
            prop_assert!(whole.starts_with(&shown), "{shown} of {label}");
        }
    }
}
