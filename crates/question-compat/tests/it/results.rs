//! Results in the words of other agents: what is certain is read, and nothing else is taken for an answer.

use crate::matching::one;
use crate::{noted, pick, skip};
use ask_user_question::reply::Selection;
use ask_user_question::{AskUserQuestion, Outcome, Question};
use question_compat::parse_foreign;
#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

fn size() -> AskUserQuestion {
    AskUserQuestion::new([Question::new("Which size?", ["S", "M"]).with_header("Size")])
}

fn two() -> AskUserQuestion {
    AskUserQuestion::new([
        Question::new("Which \"size\", S or M?", ["S", "M, \"slim\""]).with_header("Shirt size"),
        Question::new("Which extras?", ["Wrap", "Card, signed"]).with_multi_select(true),
    ])
}

fn words(question: usize, text: &str) -> Selection {
    Selection::typed(question, text)
}

#[track_caller]
fn answered(ask: &AskUserQuestion, content: &str, expected: &[Selection]) {
    let Some(Outcome::Answered(reply)) = parse_foreign(ask, content) else {
        panic!("{content}: {:?}", parse_foreign(ask, content))
    };
    assert_eq!(reply.selections(), expected, "{content}");
}

#[test]
fn a_pick_is_read_in_the_words_of_many_agents() {
    for content in [
        r#"User has answered your questions: "Which size?"="M". You can now continue with the user's answers in mind."#,
        r#"Your questions have been answered: "Which size?"="M". You can now continue with these answers in mind."#,
        r#"Your questions have been answered: "Which size?"="M""#,
        r#"The user answered: "Which size?"="M". Read the answers carefully — they may request clarification, and follow what they ask."#,
        r#"User has answered your questions: "Which size?" = "M"."#,
        "Answer: M",
        "Selected: M",
        "<answer>\nM\n</answer>",
        "[ask_followup_question for 'Which size?'] Result:\n<answer>\nM\n</answer>",
        "<user_response>M</user_response>",
        "Your questions have been answered: \"Which size?\"=\"M\" selected preview:\n[A][B]. You can now continue with these answers in mind.",
        r#"{"answers":{"size":{"answers":["M"]}}}"#,
        r#"{"answers":{"0":"M"}}"#,
        r#"{"answers":{"any_id":"M"}}"#,
        r#"{"answer":"M","wasFreeform":false}"#,
        r#"{"action":"accept","content":{"question_0":"M"}}"#,
        r#"{"outcome":"accepted","answers":{"Which size?":["M"]}}"#,
        r#"{"outcome":{"outcome":"selected","optionId":"M"}}"#,
        r#"{"answers":[{"id":"size","selected":["M"]}]}"#,
        r#"{"answers":[{"question":"Which size?","answer":"M"}]}"#,
        r#"{"answers":["M"]}"#,
        r#"{"answers":[["M"]]}"#,
        r#"{"answers":{"Size":{"selected":["M"],"freeText":null,"skipped":false}}}"#,
        r#"{"question":"Which size?","choices_offered":["S","M"],"user_response":"M"}"#,
        r#""{\"answers\":{\"Which size?\":\"M\"}}""#,
        r#"{"content":[{"type":"text","text":"{\"answers\":{\"Which size?\":\"M\"}}"}]}"#,
        "User chose: 2. M",
        "The user selected \"M\".",
        "The user's response is: M",
        "User has answered: M",
        "You selected: M",
        "Choice: M",
        "Size: M",
        "User has provided the following answers:\n\n**Size**: M",
        "The user answered the questions:\n- \"Which size?\": \"M\"",
        r#"{"selected":[{"index":1,"label":"M"}]}"#,
        r#"{"Which size?":"M"}"#,
        r#"{"status":"success","result":{"answers":{"Which size?":"M"}}}"#,
        r#"[{"type":"text","text":"User responded: M"}]"#,
        r#"{"content":[{"type":"text","text":"M"}],"isError":false}"#,
        r#""M""#,
        "M",
        "User selected: M.",
        "User answered: \"M\"",
        "1. [question] Which size?\n[answer] M",
        "Q: Which size?\nA: M",
        "- **Which size?** → M",
        "```json\n{\"answers\":{\"Which size?\":\"M\"}}\n```",
        "{'answers': {'Which size?': 'M'}}",
        r#"{"status":"done","selections":[{"header":"Size","selected":["M"]}]}"#,
        r#"{"error":"","answers":{"Which size?":"M"}}"#,
        "User has answered your questions:\n\"Which size?\" → \"M\"\n\nYou can now continue with the user's answers in mind.",
        "The user answered every question. Their selections are final — proceed accordingly:\n1. Which size?\n   → M",
        "user answered: 'M'",
        r#"{"outcome":{"outcome":"answered","answers":[{"questionId":"size","selectedOptionIds":["M"]}]}}"#,
        r#"{"answer":"M","answered_by":"user"}"#,
        r#"{"source":"option","answers":{"Which size?":"M"}}"#,
        r#"{"selected_labels":["M"]}"#,
        r#"{"kind":"answered","answers":[{"id":"q1","labels":["M"]}]}"#,
        r#"{"confirmed":true,"reason":"","answers":{"Which size?":"M"}}"#,
    ] {
        answered(&size(), content, &[pick(0, &[1])]);
    }
    answered(&one(false, &["true", "2"]), r#"{"answer":2}"#, &[pick(0, &[1])]);
}

#[test]
fn the_users_own_words_are_read_where_they_are_certain() {
    for content in [
        r#"User has answered your questions: "Which size?"="say "XL", please". You can now continue with the user's answers in mind."#,
        r#"{"answers":{"0":"say \"XL\", please"}}"#,
        r#"{"answer":"say \"XL\", please","wasFreeform":true}"#,
        r#"{"action":"accept","content":{"size":"say \"XL\", please"}}"#,
        r#"{"answers":[{"id":"size","selected":[],"custom":"say \"XL\", please"}]}"#,
        r#"{"answers":[{"id":"size","selected":["S"],"custom":"say \"XL\", please"}]}"#,
        r#"{"answers":[{"question_header":"Size","selected_options":["Other"],"other_text":"say \"XL\", please"}],"cancelled":false,"error":null}"#,
        r#"User responded: say "XL", please"#,
        r#"User provided custom input: say "XL", please"#,
        r#"{"action":"accept","content":{"question_0_custom":"say \"XL\", please"}}"#,
        "The user answered every question:\n1. Which size?\n   → say \"XL\", please (user-typed answer via \"Other\", not a listed option)",
    ] {
        answered(&size(), content, &[words(0, "say \"XL\", please")]);
    }
    let note = r#"{"answers":{"size":{"answers":["M","user_note: for Ann"]}}}"#;
    answered(&size(), note, &[noted(pick(0, &[1]), "for Ann")]);
    let note = r#"{"action":"accept","content":{"question_0":"M","question_0_custom":"for Ann"}}"#;
    answered(&size(), note, &[noted(pick(0, &[1]), "for Ann")]);
    let note = r#"Your questions have been answered: "Which size?"="M" user notes: for Ann. You can now continue with these answers in mind."#;
    answered(&size(), note, &[noted(pick(0, &[1]), "for Ann")]);
}

#[test]
fn several_answers_find_their_questions() {
    let both = [pick(0, &[1]), pick(1, &[0, 1])];
    for content in [
        r#"User has answered your questions: "Which "size", S or M?"="M, "slim"", "Which extras?"="Wrap, Card, signed". You can now continue with the user's answers in mind."#,
        r#"User has answered your questions: "Which "size", S or M?"="M, "slim"". "Which extras?"="Wrap, Card, signed". You can now continue."#,
        r#"Your questions have been answered: "Which "size", S or M?"="M, "slim"", "Which extras?"="Wrap, "Card, signed"". You can now continue with these answers in mind."#,
        r#"{"answers":{"shirt_size":{"answers":["M, \"slim\""]},"Which extras?":["Card, signed","Wrap"]}}"#,
        r#"{"answers":{"0":"M, \"slim\"","1":["Wrap","Card, signed"]}}"#,
        r#"{"answers":{"1":"M, \"slim\"","2":["Wrap","Card, signed"]}}"#,
        r#"{"answers":{"a":{"answers":["M, \"slim\""]},"b":{"answers":["Card, signed","Wrap"]}}}"#,
        r#"{"answers":[["M, \"slim\""],["Wrap","Card, signed"]]}"#,
        r#"{"answers":[{"id":"x","selected":["Wrap","Card, signed"]},{"id":"y","selected":["M, \"slim\""]}]}"#,
        r#"{"action":"accept","content":{"question_0":"M, \"slim\"","question_1":["Card, signed","Wrap"]}}"#,
        r#"{"answers":[{"question_header":"Which extras?","selected_options":["Wrap","Card, signed"]},{"question_header":"Shirt size","selected_options":["M, \"slim\""]}]}"#,
        r#"[{"index":1,"answer":["Wrap","Card, signed"]},{"index":0,"answer":"M, \"slim\""}]"#,
        r#"[{"question":"Which extras?","answer":["Wrap","Card, signed"]},{"header":"Shirt size","answer":"M, \"slim\""}]"#,
        "Shirt size: M, \"slim\"\nWhich extras?: Wrap, Card, signed",
        "1. Which extras?: Wrap, Card, signed\n2. **Shirt size:** M, \"slim\"",
        "Q: Which \"size\", S or M?\nA: M, \"slim\"\n\nQ: Which extras?\nA: [\"Wrap\", \"Card, signed\"]",
        r#"Your questions have been answered: "Which \"size\", S or M?"="M, \"slim\"", "Which extras?"="Wrap, Card, signed". You can now continue with these answers in mind."#,
        r#"User has answered your questions: "Which extras?"="Wrap, Card, signed", "Which "size", S or M?"="M, "slim"". You can now continue."#,
    ] {
        answered(&two(), content, &both);
    }
    for content in [
        "User has provided the following answers:\n\n**Which extras?**: Wrap",
        r#"User has answered your questions: "Which extras?"="Wrap". You can now continue with the user's answers in mind."#,
        r#"User has answered your questions: "Which "size", S or M?"="Unanswered", "Which extras?"="Wrap". You can now continue."#,
        r#"Your questions have been answered: "Which "size", S or M?"=(no option selected), "Which extras?"="Wrap". You can now continue."#,
        r#"{"answers":{"Which extras?":"Wrap"}}"#,
        r#"{"answers":{"1":"Wrap"}}"#,
        r#"{"answers":[{"id":"x","selected":[]},{"id":"extras","selected":["Wrap"]}]}"#,
    ] {
        match parse_foreign(&two(), content) {
            Some(Outcome::Answered(reply)) => assert_eq!(reply.selections(), [skip(0), pick(1, &[0])], "{content}"),
            other => assert_eq!((content.contains("\"x\""), other), (true, None), "{content}"),
        }
    }
}

#[test]
fn a_reply_of_our_own_is_read_as_one() {
    let ours = r#"{"answers":{"Which \"size\", S or M?":"skipped","Which extras?":"Wrap"}}"#;
    answered(&two(), ours, &[words(0, "skipped"), pick(1, &[0])]);
    let typed = r#"{"answers":{"Which size?":"[no response]"},"details":[{"index":0,"selected":[],"other":"[no response]","status":"answered"}]}"#;
    answered(&size(), typed, &[words(0, "[no response]")]);
}

#[test]
fn an_ask_that_ended_without_an_answer_is_no_answer() {
    let size = size();
    for (content, expected) in [
        ("The user doesn't want to proceed with this tool use. The tool use was rejected.", Outcome::Declined),
        ("User declined to answer the questions.", Outcome::Declined),
        (
            "The user declined to answer. Continue without the answer, or ask differently if it is essential.",
            Outcome::Declined,
        ),
        ("Error: The user dismissed this question", Outcome::Declined),
        ("User dismissed ask_user dialog without answering.", Outcome::Declined),
        (r#"{"error":true,"content":"The user doesn't want to proceed with this tool use."}"#, Outcome::Declined),
        (r#"{"action":"decline"}"#, Outcome::Declined),
        (r#"{"action":"cancel"}"#, Outcome::Declined),
        (r#"{"outcome":{"outcome":"cancelled"}}"#, Outcome::Declined),
        (r#"{"outcome":"skip_interview","partial_answers":{}}"#, Outcome::Declined),
        (r#"{"cancelled":true,"answers":{"Which size?":"M"}}"#, Outcome::Declined),
        (r#"{"cancelled":"true","answers":{"Which size?":"M"}}"#, Outcome::Declined),
        ("Error: timed out after 60000 ms", Outcome::Expired),
        (r#"{"status":"timeout"}"#, Outcome::Expired),
        ("Timed out; auto-selected:\n- Size: M", Outcome::Expired),
        ("Error: ask_user_question was aborted before the user answered", Outcome::Cancelled),
        ("[Request interrupted by user for tool use]", Outcome::Cancelled),
    ] {
        assert_eq!(parse_foreign(&size, content), Some(expected), "{content}");
    }
    let chat = |ask: &AskUserQuestion, text: &str, partial| Some(Outcome::replied_in_chat(ask, text, partial));
    let rejected = "The user doesn't want to proceed with this tool use. The tool use was rejected. To tell you how to proceed, the user said:\nM";
    assert_eq!(parse_foreign(&size, rejected), chat(&size, "M", vec![]));
    assert_eq!(parse_foreign(&two(), "The user responded: later"), chat(&two(), "later", vec![]));
    let talks = r#"{"outcome":"chat_about_this","partial_answers":{"Which size?":["M"]}}"#;
    assert_eq!(parse_foreign(&size, talks), chat(&size, "", vec![pick(0, &[1])]));
}

#[test]
fn what_has_no_certain_reading_is_none() {
    for content in [
        "",
        "Forwarded to client",
        "user response will follow",
        "Question M was shown to the user.",
        "User has answered your questions: . You can now continue with the user's answers in mind.",
        r#"User has not answered your questions: "Which size?"="M"."#,
        r#"The user wants to clarify: "Which size?"="M""#,
        r#"User has answered your questions: "Which size?"="S", "Which size?"="M"."#,
        r#"User has answered your questions: "Which colour?"="M"."#,
        r#"User has answered your questions: "Which size?"="M" and so on"#,
        "<tool_use_error>InputValidationError: questions is missing</tool_use_error>",
        "{}",
        "[]",
        "1",
        r#"{"answers":{}}"#,
        r#"{"answers":{"0":null}}"#,
        r#"{"answers":{"a":"S","b":"M"}}"#,
        r#"{"answers":{"0":"M"},"details":[]}"#,
        r#"{"answers":["S","M"]}"#,
        r#"{"answer":true}"#,
        r#"{"selected":1}"#,
        r#"{"status":"pending","answers":{"0":"M"}}"#,
        r#"{"status":"accepted"}"#,
        r#"{"success":false,"answer":"M"}"#,
        r#"{"isError":true,"content":[{"type":"text","text":"M"}]}"#,
        r#"{"error":"no user","answer":"M"}"#,
        r#"{"isError":true,"answers":{"Which size?":"M"}}"#,
        r#"{"error":false,"auto":true,"answer":"M"}"#,
        r#"{"autoResolved":true,"answers":{"size":{"answers":["M"]}}}"#,
        r#"{"answers":{"Which size?":"M"},"afkTimeoutMs":60000}"#,
        r#"{"unanswered":true,"answer":"M"}"#,
        r#"{"source":"default","answers":{"Which size?":"M"}}"#,
        r#"{"answers":{"Which size?":"M"},"answered_by":"timeout"}"#,
        r#"{"answer":"M","reason":"timeout"}"#,
        r#"{"answers":{"Which size?":"M"},"mode":"auto"}"#,
        r#"{"answers":{"Which size?":"M"},"confirmed":false}"#,
        r#"{"answers":{"Which size?":"M"},"userResponded":false}"#,
        r#"{"answers":{"Which size?":"M"},"noResponse":true}"#,
        r#"{"answers":{"Which size?":"M"},"isFallback":true}"#,
        r#"{"answers":{"Which size?":"M"},"autoApproved":true}"#,
        r#"{"answers":[{"question":"Which size?","answer":"M","answered":false}]}"#,
        r#"{"answers":{"Which size?":"[No response]"}}"#,
        r#"{"answers":{"Which size?":"(timeout)"}}"#,
        r#"{"answers":{"Which size?":"<skipped>"}}"#,
        r#"{"answers":{"Which size?":"null"}}"#,
        r#"{"answers":{"Which size?":"Timed out waiting for the user"}}"#,
        r#"{"answers":{"Which size?":"No user available"}}"#,
        "User answered: N/A",
        "User selected: undefined",
        "User answered: [no response]",
        "User answered: <no answer>.",
        r#"{"answer":"M","usedDefault":true}"#,
        r#"{"answers":[{"question":"Which size?","answer":"M","source":"default"}]}"#,
        r#"{"answers":{"Size":{"selected":["M"],"freeText":null,"skipped":true}}}"#,
        "User selected: M (auto-selected after timeout)",
        "User is away, picked the recommended option:\nSize: M",
        "The user did not answer within the time limit; the recommended (or first) option was auto-selected. Proceed accordingly:\n1. Which size?\n   → M",
        r#"{"question":"Which size?","user_response":"The user did not provide a response within the time limit. Use your best judgement to make the choice and proceed."}"#,
        r#"{"answers":{"size":{"answers":["OpenMausBot: nobody answered in time. Use your best judgment and continue."]}}}"#,
        "User selected: none",
        "User response to question: Which size?",
        "User response: waiting for it",
        "Last answer: M",
        "User answered: ",
        "User has provided the following answers:\n\n**Size**: M\n**Colour**: Red",
        "Size: S\nSize: M",
        "Size: S, M",
        r#"{"result":"Forwarded to client"}"#,
        r#"{"content":"Question was sent"}"#,
        r#"{"size":"M"}"#,
        r#"{"action":"accept","status":"declined","content":{"size":"M"}}"#,
        r#"{"action":"accept","content":{}}"#,
        "Which size?: S or M",
        "Which size?\nS\nM",
        "The user has not given these answers:\nSize: M",
        r#"{"success":false,"answers":{"Which size?":"M"}}"#,
        r#"{"status":"pending","answers":{"Which size?":"M"}}"#,
    ] {
        assert_eq!(parse_foreign(&size(), content), None, "{content}");
    }
    assert_eq!(parse_foreign(&one(false, &["OK", "Cancel"]), "ok"), None, "a tool says so by itself");
    assert_eq!(parse_foreign(&one(false, &["OK", "Cancel"]), r#"{"result":"OK"}"#), None, "and in an object");
    answered(&one(false, &["OK", "Cancel"]), r#"{"answer":"OK"}"#, &[pick(0, &[0])]);
    answered(&one(false, &["OK", "Cancel"]), "User selected: OK", &[pick(0, &[0])]);
    let echo = r#"{"output":{"question":"Which one?","options":["A","B"]}}"#;
    assert_eq!(parse_foreign(&one(true, &["A", "B"]), echo), None, "the question once more");
    assert_eq!(parse_foreign(&one(true, &["A", "B"]), r#"{"data":{"options":["A","B"]}}"#), None);
    assert_eq!(parse_foreign(&two(), "S"), None);
    assert_eq!(parse_foreign(&two(), "Shirt size: waiting\nWhich extras?: waiting"), None, "the tool's own words");
    assert_eq!(parse_foreign(&two(), "Shirt size: S"), None, "half of them");
    assert_eq!(parse_foreign(&two(), "Shirt size: S, M\nWhich extras?: Wrap"), None, "options once more");
    assert_eq!(parse_foreign(&two(), "Answers:\nWhich extras?: Wrap, Card, signed"), None, "options once more");
    assert_eq!(parse_foreign(&two(), r#"{"answers":{"1":"none of them"}}"#), None, "either question");
    assert_eq!(parse_foreign(&two(), r#"{"answers":{"1":"S"}}"#), None, "the label of the other one");
    assert_eq!(parse_foreign(&two(), r#"{"answers":["Wrap"]}"#), None);
    let swapped = r#"{"answers":[{"about":"extras","selected":["Wrap"]},{"about":"size","selected":["S"]}]}"#;
    assert_eq!(parse_foreign(&two(), swapped), None, "in an order of its own");
}

#[test]
fn own_words_find_their_question_by_its_place_or_its_header() {
    for content in [
        r#"{"answers":{"0":"as big as it gets","1":"Wrap"}}"#,
        r#"{"answers":{"1":"as big as it gets","2":"Wrap"}}"#,
        r#"{"answers":{"Shirt size":"as big as it gets","Which extras?":"Wrap"}}"#,
        r#"{"outcome":{"answers":{"shirt size":{"answer":{"text":"as big as it gets"}},"Which extras?":"Wrap"}}}"#,
    ] {
        answered(&two(), content, &[words(0, "as big as it gets"), pick(1, &[0])]);
    }
    answered(&two(), r#"{"answers":{"shirt size":"S"}}"#, &[pick(0, &[0]), skip(1)]);
    for content in [
        r#"{"answers":{"0000":"as big as it gets","0001":"Wrap"}}"#,
        r#"{"answers":{"0":"S","2":"Wrap"}}"#,
        r#"{"answers":{"x":["Wrap","as big as it gets"],"y":"S"}}"#,
        r#"{"answers":{"content":{"0":"S","1":"Wrap"}}}"#,
        r#"{"answers":{"0":"S","1":"Wrap","2":"Wrap"}}"#,
    ] {
        assert_eq!(parse_foreign(&two(), content), None, "{content}");
    }
}

#[test]
fn four_wrappings_are_looked_into_and_no_more() {
    let wrap = |name: &str, layers: usize, inner: &str| {
        let (before, behind) = (format!("{{\"{name}\":").repeat(layers), "}".repeat(layers));
        format!("{before}{inner}{behind}")
    };
    let reads = |content: &str| parse_foreign(&size(), content).is_some();
    let named = r#"{"Which size?":"M"}"#;
    let deep = |name: &str| (0..9).take_while(|layers| reads(&wrap(name, *layers, named))).count();
    // The last layer is that of the answers themselves.
    assert_eq!((deep("answers"), deep("data"), deep("outcome")), (4, 4, 4));
    let picks = |name: &str, layers: usize| format!("{{\"Which size?\":{}}}", wrap(name, layers, r#""M""#));
    for name in ["answer", "other"] {
        assert!(reads(&picks(name, 3)) && !reads(&picks(name, 4)), "{name}");
    }
    assert!(reads(r#"{"Which size?":[[{"value":"M"}]]}"#) && !reads(r#"{"Which size?":[[[{"value":"M"}]]]}"#));
    // Own words are certain in the members that are meant for them.
    for (content, is_read) in [
        (r#"{"answers":{"answer":"XL"}}"#, true),
        (r#"{"answers":{"content":"XL"}}"#, true),
        (r#"{"answers":{"partialAnswers":"XL"}}"#, true),
        (r#"{"Which size?":{"other":"XL"}}"#, true),
        (r#"{"Which size?":"XL"}"#, false),
    ] {
        assert_eq!(reads(content), is_read, "{content}");
    }
    let ask =
        |questions: usize| AskUserQuestion::new((0..questions).map(|at| Question::new(format!("Q{at}"), ["A", "B"])));
    let all = |questions: usize| {
        (0..questions).map(|at| (format!("Q{at}"), "A")).collect::<std::collections::BTreeMap<_, _>>()
    };
    for (questions, is_read) in [(64, true), (65, false), (66, false)] {
        let content = serde_json::to_string(&all(questions)).unwrap();
        assert_eq!(parse_foreign(&ask(questions), &content).is_some(), is_read, "{questions}");
    }
}

#[test]
fn an_object_from_headers_to_picks_is_an_answer() {
    let extras = || {
        let extras = Question::new("Which extras?", ["Wrap", "Card"]).with_header("Extras").with_multi_select(true);
        AskUserQuestion::new([size().questions.remove(0), extras])
    };
    let picks = |question: usize, selected: &[usize]| Selection::picked(question, selected);
    answered(&size(), r#"{"Size":["M"]}"#, &[picks(0, &[1])]);
    answered(&size(), r#"{"Size":"M"}"#, &[picks(0, &[1])]);
    answered(&size(), r#"{"Size":["not at all"]}"#, &[words(0, "not at all")]);
    answered(&extras(), r#"{"Size":["M"],"Extras":["Wrap","Card"]}"#, &[picks(0, &[1]), picks(1, &[0, 1])]);
    answered(&extras(), r#"{"Extras":["Card"],"Size":["my own"]}"#, &[words(0, "my own"), picks(1, &[1])]);
    let status = AskUserQuestion::new([Question::new("Which state?", ["Open", "Done"]).with_header("Status")]);
    answered(&status, r#"{"Status":["Open"]}"#, &[picks(0, &[0])]);
    // A text beside a header may be the tool's own, and not every question is named.
    for unclear in
        [r#"{"Size":"pending"}"#, r#"{"Size":"not at all"}"#, r#"{"Size":{}}"#, r#"{"Size":["M"],"Colour":["Red"]}"#]
    {
        assert_eq!(parse_foreign(&size(), unclear), None, "{unclear}");
    }
    assert_eq!(parse_foreign(&extras(), r#"{"Size":["M"]}"#), None);
}

#[test]
fn a_verdict_is_one_only_if_nothing_speaks_against_it() {
    for (content, expected) in [
        (r#"{"cancelled":true,"seen":true}"#, Some(Outcome::Declined)),
        (r#"{"status":"declined","declined":true}"#, Some(Outcome::Declined)),
        (r#"{"status":"declined","expired":true}"#, None),
        (
            r#"{"status":"chat about this","answers":{"Which size?":"M"}}"#,
            Some(Outcome::replied_in_chat(&size(), "", vec![pick(0, &[1])])),
        ),
        (r#"{"status":"chat about this","seen":1}"#, Some(Outcome::replied_in_chat(&size(), "", vec![]))),
        (r#"{"type":"image","text":"User declined"}"#, None),
        (r#"{"type":"text","text":"User declined"}"#, Some(Outcome::Declined)),
    ] {
        assert_eq!(parse_foreign(&size(), content), expected, "{content}");
    }
}

#[test]
fn a_sentence_is_read_as_far_as_it_is_short() {
    let ended = |length: usize| {
        let content = format!("The question timed out{}", ".".repeat(length - 22));
        parse_foreign(&size(), &content)
    };
    assert_eq!((ended(199), ended(200)), (Some(Outcome::Expired), None));
    assert_eq!(parse_foreign(&size(), "User selected: "), None);
    assert_eq!(parse_foreign(&two(), "User selected: "), None);
}

/// A search that begins anew at each quotation mark takes minutes here.
#[test]
fn a_question_of_quotation_marks_is_looked_for_in_one_pass() {
    let ask = AskUserQuestion::new([Question::new("\"".repeat(300_000), ["S", "M"])]);
    assert_eq!(parse_foreign(&ask, &"\"".repeat(600_000)), None);
}
