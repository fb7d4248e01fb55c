//! What settings come to.

use agent_chat::Delivery;
use app::settings::{Setting, Settings};
use question_card::SubmitMode;

fn set(setting: Setting, value: &str) -> Settings {
    let mut settings = Settings::default();
    settings.set(setting, value);
    settings
}

#[test]
fn each_setting_is_found_by_its_name() {
    let settings = Settings::read(|setting| Some(format!("{}!", setting.name())));
    for setting in Setting::ALL {
        assert_eq!(settings.get(setting), format!("{}!", setting.name()));
        let of_the_page = setting.key().strip_prefix("chat-page ").map(str::to_owned);
        assert_eq!(of_the_page.as_deref(), Some(setting.name()));
    }
    assert_eq!(Settings::read(|_| None), Settings::default());
}

#[test]
fn what_is_not_known_is_the_default() {
    let unknown = Settings::read(|_| Some("what?".to_owned()));
    for settings in [Settings::default(), unknown] {
        assert_eq!(settings.delivery(), Delivery::Automatic);
        assert_eq!(settings.submit_mode(), SubmitMode::OnPick);
        assert_eq!(settings.color_scheme(), "light dark");
        assert!(!settings.notifies());
        let words = settings.words(&["ja".to_owned()]);
        assert_eq!(words.labels.lang, "ja");
    }
}

#[test]
fn what_is_set_is_done() {
    for delivery in Delivery::ALL {
        assert_eq!(set(Setting::Delivery, delivery.as_str()).delivery(), delivery);
    }
    assert_eq!(set(Setting::Submit, "explicit").submit_mode(), SubmitMode::Explicit);
    assert_eq!(set(Setting::Theme, "dark").color_scheme(), "dark");
    assert_eq!(set(Setting::Theme, "light").color_scheme(), "light");
    assert!(set(Setting::Notify, "on").notifies());
    let words = set(Setting::Language, "de").words(&["ja".to_owned()]);
    assert_eq!(words.labels.lang, "de");
}

#[test]
fn another_agent_goes_by_its_own_name() {
    let words = Settings::default().words(&[]);
    let own = Settings::default();
    let [(_, title), (_, subtitle), ..] = words.of_the_frame();
    assert_eq!((own.title(words), own.subtitle(words)), (title[0], subtitle[0]));
    let other = set(Setting::Agent, "https://agent.example:8443/run?x=/");
    assert_eq!(other.title(words), "agent.example:8443");
    assert_eq!(other.subtitle(words), "");
    let beside = set(Setting::Agent, "/other/agent");
    assert_eq!(beside.title(words), "/other/agent");
    assert_ne!(other.suggestions(words), own.suggestions(words));
}
