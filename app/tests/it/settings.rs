//! Settings and their agents.

use agent_chat::{Delivery, Limits};
use app::agent::Agent;
use app::settings::{OwnAgent, Setting, Settings};
use app::words::{Say, Words};
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

/// Each way of the dialog, the address and `settings.json` to name an agent, with each delivery: the resulting agent.
#[test]
fn every_combination_comes_to_an_agent() {
    let profiles =
        [("", Limits::RUNTIME), ("chat", Limits::CHAT), ("coding", Limits::CODING), ("runtime", Limits::RUNTIME)];
    let own = |_: &str| -> Vec<(String, String)> { panic!("the page's own agent has no headers") };
    let key = ("Authorization".to_owned(), "Bearer abc".to_owned());
    for (delivery, by_name) in
        [("", None), ("what?", None)].into_iter().chain(Delivery::ALL.map(|it| (it.as_str(), Some(it))))
    {
        let asked = by_name.unwrap_or_default();
        let settings = set(Setting::Delivery, delivery);
        for (profile, limits) in &profiles {
            let settings =
                settings.clone().of_own_agent(OwnAgent { name: String::new(), profile: (*profile).to_owned() });
            let agent = Agent::set(&settings, own);
            assert!(agent.is_own());
            assert_eq!((agent.delivery, agent.limits), (asked, limits.clone()), "{delivery}, {profile}");
        }
        for address in ["/other/agent", "https://agent.example/run", "http://localhost:9000/"] {
            let mut settings =
                settings.clone().of_own_agent(OwnAgent { name: String::new(), profile: "coding".to_owned() });
            settings.set(Setting::Agent, address);
            for headers in [Vec::new(), vec![key.clone()]] {
                let agent = Agent::set(&settings, |of| if of == address { headers.clone() } else { Vec::new() });
                assert!(!agent.is_own());
                assert_eq!((agent.address.as_str(), &agent.headers), (address, &headers));
                // Only the page's own agent takes answers beside its conversations, and only its limits are known.
                let delivery = if asked == Delivery::Endpoint { Delivery::Automatic } else { asked };
                assert_eq!((agent.delivery, agent.limits), (delivery, Limits::RUNTIME), "{address}");
            }
        }
    }
}

#[test]
fn what_is_not_known_is_the_default() {
    let unknown = Settings::read(|_| Some("what?".to_owned()));
    for settings in [Settings::default(), unknown] {
        assert_eq!(settings.delivery(), Delivery::Automatic);
        assert_eq!(settings.submit_mode(), SubmitMode::OnPick);
        assert_eq!(settings.color_scheme(), "light dark");
        assert!(!settings.notifies());
        assert!(settings.sends_tool());
        assert_eq!(settings.language(&["ja".to_owned()]), "ja");
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
    assert!(!set(Setting::Tool, "agent").sends_tool());
    assert_eq!(set(Setting::Language, "de").language(&["ja".to_owned()]), "de");
}

#[test]
fn another_agent_goes_by_its_own_name() {
    let words = &Words::default();
    let own = Settings::default();
    assert_eq!((own.title(words), own.subtitle(words)), (words.text(Say::Title), words.text(Say::Subtitle)));
    let other = set(Setting::Agent, "https://agent.example:8443/run?x=/");
    assert_eq!(other.title(words), "agent.example:8443");
    assert_eq!(other.subtitle(words), "");
    let named = OwnAgent { name: "Coding desk".to_owned(), profile: "coding".to_owned() };
    let named = Settings::default().of_own_agent(named);
    assert_eq!((named.title(words), named.subtitle(words)), ("Coding desk", ""));
    assert_eq!(named.suggestions(), other.suggestions());
    assert_eq!((named.limits(), own.limits()), (Limits::CODING, Limits::RUNTIME));
    let beside = set(Setting::Agent, "/other/agent");
    assert_eq!(beside.title(words), "/other/agent");
    assert_ne!(other.suggestions(), own.suggestions());
}
