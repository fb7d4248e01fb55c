//! The page of plain HTML, and what a browser posts from it.

use ask_user_question::examples::all;
use ask_user_question::reply::Selection;
use ask_user_question::{AskUserQuestion, Outcome, Question, QuestionOption, Reply};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use question_form::Form;
use question_mcp::form_page::{card_page, closed, page, read};

fn encoded(text: &str) -> String {
    utf8_percent_encode(text, NON_ALPHANUMERIC).to_string().replace("%20", "+")
}

/// The body that a browser posts for this reply: a field for each box, and all texts, empty or not.
fn posted(ask: &AskUserQuestion, reply: &Reply) -> String {
    let content = Form::of(ask).payload(reply).expect("nothing is required");
    let mut fields = Vec::new();
    for (name, value) in content.as_object().expect("it is an object") {
        for value in value.as_list().unwrap_or(std::slice::from_ref(value)) {
            fields.push(format!("{}={}", encoded(name), encoded(value.as_str().expect("it is text"))));
        }
    }
    fields.push("question_4_custom=".to_owned());
    fields.join("&")
}

#[test]
fn what_a_browser_posts_is_the_reply_of_the_card() {
    for ask in all().into_iter().filter_map(|example| example.check().ask) {
        for pick in [0, 1, 2] {
            let selections = ask.questions.iter().enumerate().map(|(question, it)| {
                let last = it.options.len().checked_sub(1);
                match (last, pick) {
                    (Some(last), 0) => Selection { question, selected: vec![last], ..Selection::default() },
                    (Some(last), 1) if it.multi_select && last > 0 => {
                        Selection { question, selected: vec![0, last], ..Selection::default() }
                    }
                    (_, 2) if question > 0 => Selection { question, skipped: true, ..Selection::default() },
                    _ => Selection {
                        question,
                        other: Some("Mine & \"yours\" = +1\n<b>".to_owned()),
                        ..Selection::default()
                    },
                }
            });
            let Some(reply) = Reply::of(&ask, selections.collect()) else { continue };
            let body = posted(&ask, &reply);
            assert_eq!(read(&ask, &body), Some(Outcome::Answered(reply.clone())), "{body}");
            // As the card posts it.
            assert_eq!(read(&ask, &reply.to_json().text()), Some(Outcome::Answered(reply)));
        }
        assert_eq!(read(&ask, "question_1_custom=+&question_2_custom="), None);
        assert_eq!(read(&ask, "decline=1&question_1_custom=x"), Some(Outcome::Declined));
    }
}

#[test]
fn any_body_is_read_or_is_no_answer() {
    let ask = AskUserQuestion::new([Question::new("Which?", ["A", "B"])]);
    for body in [
        "",
        "&&=&",
        "question_1",
        "question_9=A",
        "%%%=%ff",
        "question_0=A",
        "question_1_custom=%00%ff",
        "=A",
        "{",
        "{}",
        "{\"answers\":7}",
    ] {
        let said = read(&ask, body);
        assert!(matches!(said, None | Some(Outcome::Answered(_))), "{body} {said:?}");
    }
    // The first of two picks counts where one can be made.
    let picked = read(&ask, "question_1=B&question_1=A").expect("it is an answer");
    assert_eq!(picked.tool_content(&ask), r#"{"answers":{"Which?":"B"}}"#);
}

#[test]
fn text_of_a_model_is_no_markup() {
    let nasty = "\"><script>alert(1)</script>&amp;<!--";
    let option = QuestionOption::new(nasty).with_description(nasty).with_preview(nasty);
    let ask = AskUserQuestion::new([Question::new(nasty, [option]).with_header(nasty)]);
    let card = card_page(&ask, "/ask");
    let (_, data) = card.split_once("id=\"ask\">").expect("it has the question");
    let (data, _) = data.split_once("</script>").expect("it ends");
    assert_eq!(serde_json::from_str::<AskUserQuestion>(data).expect("it is JSON"), ask);
    for html in [page(&ask, "/ask", Some(nasty)), closed("/ask", nasty)] {
        assert!(!html.contains("<script>alert") && !html.contains("<!--"), "{html}");
        assert!(html.contains("&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;&amp;amp;&lt;!--"), "{html}");
    }
}
