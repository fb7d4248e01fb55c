//! The page of plain HTML, and what a browser posts from it.

use ask_user_question::attachment::{Attachment, FileLimits};
use ask_user_question::condition::ShowIf;
use ask_user_question::examples::all;
use ask_user_question::input::{Input, InputKind};
use ask_user_question::reply::Selection;
use ask_user_question::validate::{Code, Violation};
use ask_user_question::{AskUserQuestion, Outcome, Question, QuestionOption, Reply};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use question_form::Form;
use question_mcp::form_page::{self, Posted, Refused, card_page, closed};

/// The page of a host that takes no files.
fn page(ask: &AskUserQuestion, assets: &str, refused: Option<&Refused>) -> String {
    form_page::page(ask, assets, None, refused)
}

fn read(ask: &AskUserQuestion, body: &str) -> Result<Outcome, Refused> {
    form_page::read(ask, &body.into())
}

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
    for ask in all().into_iter().filter_map(|example| question_compat::from_json(&example.ask)) {
        for pick in [0, 1, 2] {
            let selections = ask.questions.iter().enumerate().map(|(question, it)| {
                let last = it.options.len().checked_sub(1);
                match (last, pick) {
                    (Some(last), 0) => Selection::picked(question, [last]),
                    (Some(last), 1) if it.multi_select && last > 0 => Selection::picked(question, [0, last]),
                    (_, 2) if question > 0 => Selection::skipped(question),
                    _ => Selection::typed(question, "Mine & \"yours\" = +1\n<b>"),
                }
            });
            let Some(reply) = Reply::of(&ask, selections.collect()) else { continue };
            let body = posted(&ask, &reply);
            assert_eq!(read(&ask, &body), Ok(Outcome::Answered(reply.clone())), "{body}");
            // As the card posts it.
            assert_eq!(read(&ask, &reply.to_json().text()), Ok(Outcome::Answered(reply)));
        }
        assert!(read(&ask, "question_1_custom=+&question_2_custom=").is_err());
        assert_eq!(read(&ask, "decline=1&question_1_custom=x"), Ok(Outcome::Declined));
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
        assert!(matches!(said, Err(_) | Ok(Outcome::Answered(_))), "{body} {said:?}");
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
    let card = card_page(&ask, "/ask", None);
    let (_, data) = card.split_once("id=\"ask\">").expect("it has the question");
    let (data, _) = data.split_once("</script>").expect("it ends");
    assert_eq!(serde_json::from_str::<AskUserQuestion>(data).expect("it is JSON"), ask);
    let body = format!("question_1_custom={}", encoded(nasty));
    for html in [page(&ask, "/ask", Some(&Refused::new(&ask, &Posted::from(&*body), nasty))), closed("/ask", nasty)] {
        assert!(!html.contains("<script>alert") && !html.contains("<!--"), "{html}");
        assert!(html.contains("&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;&amp;amp;&lt;!--"), "{html}");
    }
}

#[test]
fn what_is_typed_has_the_browsers_field_and_a_ranking_one_for_each_place() {
    let gigabytes = Input::new(InputKind::Number).with_min("0.5").with_unit("<GB>");
    let ask = AskUserQuestion::new([
        Question::new("How much?", [""; 0]).with_input(gigabytes),
        Question::new("When?", [""; 0]).with_input(Input::new(InputKind::Date)),
        Question::new("Which order?", ["A", "B"]).with_input(Input::new(InputKind::Rank)),
        Question::new("Sure?", [""; 0]).with_input(Input::new(InputKind::YesNo)),
    ]);
    let page = page(&ask, "/ask", None);
    for part in [
        "<input name=\"question_1\" type=\"number\" min=\"0.5\" step=\"any\" inputmode=\"decimal\"> &lt;GB&gt;",
        "<input name=\"question_2\" type=\"date\">",
        "<select name=\"question_3\"><option value=\"A\">A</option><option value=\"B\" selected>B</option></select>",
        "<input type=\"radio\" name=\"question_4\" value=\"Yes\">",
    ] {
        assert!(page.contains(part), "{part} in {page}");
    }
    let body = "question_1=1.5&question_2=2026-11-28&question_3=B&question_3=A&question_4=No&question_4_custom=";
    let Ok(Outcome::Answered(reply)) = read(&ask, body) else { panic!("it is an answer") };
    let values =
        reply.answers().iter().map(|answer| answer.given.value().map(|value| value.text()).unwrap_or_default());
    assert_eq!(values.collect::<Vec<_>>(), ["1.5", "\"2026-11-28\"", "[\"B\",\"A\"]", "false"]);
}

#[test]
fn what_is_no_answer_is_shown_again_with_an_error_beside_its_field() {
    let ask = AskUserQuestion::new([
        Question::new("How much?", [""; 0]).with_input(Input::new(InputKind::Number).with_min("0.5")),
        Question::new("Which order?", ["A", "B"]).with_input(Input::new(InputKind::Rank)),
        Question::new("Which?", ["C", "D"]).with_multi_select(true),
        Question::new("Why?", [""; 0]).with_input(Input::new(InputKind::Text).with_default("Because")),
    ]);
    assert!(page(&ask, "/ask", None).contains(">\nBecause</textarea>"));
    let body =
        "question_1=1&question_2=B&question_2=A&question_3=D&question_3=E&question_3_custom=%0D%0A<i>&question_4=";
    assert!(read(&ask, body).is_ok());
    for (field, wrong, error) in [
        ("question_1=1", "question_1=0", "How much?</legend><p role=\"alert\">"),
        ("question_1=1", "question_1=x", "How much?</legend><p role=\"alert\">"),
        ("question_2=B", "question_2=A", "Which order?</legend><p role=\"alert\">"),
    ] {
        let refused = read(&ask, &body.replace(field, wrong)).expect_err("it is none");
        let page = page(&ask, "/ask", Some(&refused));
        assert_eq!(page.matches("role=\"alert\"").count(), 1, "{page}");
        for part in [
            error,
            "value=\"D\" checked>",
            "<textarea name=\"question_3_custom\" rows=\"1\" dir=\"auto\">\n\n&lt;i&gt;</textarea>",
            // What was emptied stays so.
            "<textarea name=\"question_4\" rows=\"1\" dir=\"auto\">\n</textarea>",
        ] {
            assert!(page.contains(part), "{part} in {page}");
        }
        assert!(page.contains(&format!("value=\"{}\"", wrong.split_once('=').expect("a value").1)), "{page}");
    }
}

#[test]
fn a_question_that_is_not_asked_is_skipped_whatever_its_fields_say() {
    let notice = Question::new("How shall we tell you?", ["By e-mail", "By phone"]).with_header("Notice");
    let address = Question::new("Which address?", [""; 0])
        .with_input(Input::new(InputKind::Email))
        .with_show_if(ShowIf::new("Notice", "By e-mail"));
    let copy = Question::new("A copy, too?", ["Yes", "No"]).with_show_if(ShowIf::new("Which address?", "a@b.example"));
    let ask = AskUserQuestion::new([notice, address, copy]);
    for html in [page(&ask, "/ask", None), card_page(&ask, "/ask", None)] {
        for part in [
            "<fieldset data-if=\"question_1\" data-is=\"By e-mail\">",
            "<p dir=\"auto\">Only if &quot;Notice&quot; is &quot;By e-mail&quot;.</p>",
            "<fieldset data-if=\"question_2\" data-is=\"a@b.example\">",
        ] {
            assert!(html.contains(part), "{part} in {html}");
        }
    }
    // What a browser posts that runs no script. It is no error that the fields of a hidden question hold nonsense.
    for (body, told) in [
        ("question_1=By+phone&question_2=nonsense&question_3=Yes", [true, false, false]),
        ("question_1=By+phone&question_2=a%40b.example&question_3=Yes", [true, false, false]),
        ("question_1=By+e-mail&question_2=a%40b.example&question_3=Yes", [true, true, true]),
        ("question_1=By+e-mail&question_1_custom=By+post&question_2=a%40b.example", [true, false, false]),
        ("question_1=By+e-mail&question_2=c%40d.example&question_3=No", [true, true, false]),
    ] {
        let Ok(Outcome::Answered(reply)) = read(&ask, body) else { panic!("{body} is an answer") };
        let given = reply.answers().iter().map(|answer| !answer.given.is_skipped());
        assert!(given.eq(told), "{body}: {}", reply.to_json());
        assert_eq!(reply.to_json().text().matches("\"skipped\"").count(), told.iter().filter(|told| !*told).count());
    }
    assert!(read(&ask, "question_2=a%40b.example").is_err(), "nothing that is asked is answered");
}

#[test]
fn files_answer_what_can_be_typed_and_are_there_again_after_a_refusal() {
    let file = |name: &str| Attachment {
        url: format!("/conversations/secret/files/{name}"),
        name: format!("<{name}>.png"),
        media_type: "image/png".to_owned(),
        size: 3,
    };
    let ask = AskUserQuestion::new([
        Question::new("Which?", ["A", "B"]),
        Question::new("How much?", [""; 0]).with_input(Input::new(InputKind::Number)),
        Question::new("When B?", [""; 0]).with_show_if(ShowIf::new("Which?", "B")),
    ]);
    let shown = form_page::page(&ask, "/ask", Some(&FileLimits::PICTURES), None);
    assert_eq!(shown.matches("type=\"file\"").count(), 2, "none beside a number");
    for said in [
        "data-kept=\"question_1_kept\" multiple data-count=\"4\" data-bytes=\"5242880\" accept=\"image/png,",
        "At most 4 files are taken.",
        "at most 5 MiB.",
        "These types are taken: PNG, JPEG, GIF, WEBP.",
    ] {
        assert!(shown.contains(said), "{said} in {shown}");
    }
    assert!(!page(&ask, "/ask", None).contains("type=\"file\""));

    let why = Violation::new("selections[0].attachments", Code::BadAttachment, "The file is empty.");
    let mut posted = Posted {
        body: "question_1_custom=&question_2=1".to_owned(),
        files: vec![(0, file("a")), (2, file("b"))],
        refused: vec![why],
    };
    let refused = form_page::read(&ask, &posted).expect_err("one was not taken");
    let shown = form_page::page(&ask, "/ask", Some(&FileLimits::PICTURES), Some(&refused));
    assert!(shown.contains("Which?</legend><p role=\"alert\">The file is empty.</p>"), "{shown}");
    assert!(
        shown.contains("value=\"/conversations/secret/files/a\"> <span dir=\"auto\">&lt;a&gt;.png</span>"),
        "{shown}"
    );
    let kept =
        "question_1_kept=%2Fa&question_1_kept=%2Fb&question_2_kept=%2Fd&question_3_kept=%2Fc&question_9_kept=%2Fd";
    let kept = form_page::kept(&ask, kept);
    assert_eq!(kept, [(0, "/a".to_owned()), (0, "/b".to_owned()), (2, "/c".to_owned())]);

    posted.refused.clear();
    let Ok(Outcome::Answered(reply)) = form_page::read(&ask, &posted) else { panic!("files alone are an answer") };
    assert_eq!(reply.attachments().collect::<Vec<_>>(), [(0, &file("a"))], "the last question is not asked");
}
