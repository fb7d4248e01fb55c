//! Files in answers, without their bytes.

use super::{SMALL, Stage, replies};
use ask_user_question::attachment::{Attachment, FileLimits};
use question_card::dom::Control;
use question_card::machine::{FileInput, Input};
use question_card::{Files, SubmitMode};

#[test]
fn a_skipped_question_does_not_wait_for_its_files() {
    let files = Files::new(FileLimits::PICTURES, |_, _, _| {});
    let file = Attachment { name: "cat.png".into(), media_type: "image/png".into(), size: 3, url: String::new() };
    for mode in [SubmitMode::Explicit, SubmitMode::OnPick] {
        for failed in [false, true] {
            let mut stage = Stage::waiting(mode);
            stage.options.files = Some(files.clone());
            stage.take(Input::Set(stage.options.clone()));
            stage.take(Input::File(FileInput::Added(0, vec![file.clone()])));
            if failed {
                stage.take(Input::File(FileInput::Uploaded(0, Err("The server is full.".into()))));
            }
            assert_eq!(replies(&stage.take(Input::Submit)), 0, "it may be meant to go along");
            let skips = replies(&stage.press(Control::Skip { question: 0 }));
            assert_eq!(skips + replies(&stage.take(Input::Submit)), 1, "{mode:?}, failed: {failed}");
        }
    }
    let mut stage = Stage::waiting(SubmitMode::Explicit);
    stage.options.files = Some(files);
    stage.take(Input::Set(stage.options.clone()));
    stage.take(Input::File(FileInput::Added(0, vec![file])));
    stage.press(Control::Skip { question: 0 });
    stage.take(Input::Choose(SMALL));
    assert_eq!(replies(&stage.take(Input::Submit)), 0, "it goes along again");
}
