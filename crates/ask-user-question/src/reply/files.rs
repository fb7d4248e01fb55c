//! The files of a reply.

use super::answer::Reply;
use crate::attachment::{Attachment, FileLimits, MAX_ATTACHMENTS};
use crate::validate::{Code, Refuse, Report, Violation};

impl Reply {
    /// All files of the reply, each with the index of its question.
    pub fn attachments(&self) -> impl Iterator<Item = (usize, &Attachment)> {
        self.answers().iter().flat_map(|answer| answer.attachments.iter().map(|it| (answer.index, it)))
    }

    /// Checks the files against the agent's limits. `None` allows no files.
    ///
    /// # Errors
    /// A violation for each file that is not allowed, with a path such as `details[0].attachments[1]`.
    pub fn check_attachments(&self, limits: Option<&FileLimits>) -> Result<(), Vec<Violation>> {
        let (mut report, mut others) = (Report::default(), 0);
        for answer in self.answers() {
            for (a, it) in answer.attachments.iter().enumerate() {
                let path = format!("details[{}].attachments[{a}]", answer.index);
                match limits.map(|limits| (limits, limits.check(others, &it.media_type, it.size))) {
                    None => report.add(path, Code::BadAttachment, "No files are taken here."),
                    Some((limits, Err(flaw))) => report.add(path, Code::BadAttachment, limits.explain(flaw)),
                    Some((_, Ok(()))) => {}
                }
                others += 1;
            }
        }
        if report.is_empty() { Ok(()) } else { Err(report.into_violations()) }
    }
}

/// Checks rules that apply whatever the limits. `path` is that of the answer.
pub(super) fn judge<R: Refuse>(report: &mut R, path: &dyn Fn() -> String, attachments: &[Attachment]) {
    if attachments.len() > MAX_ATTACHMENTS {
        report.refuse(Code::BadAttachment, || {
            (path() + ".attachments", format!("An answer has at most {MAX_ATTACHMENTS} files."))
        });
    }
    for (a, attachment) in attachments.iter().enumerate() {
        if let Some((member, must_be)) = attachment.flaw() {
            report.refuse(Code::BadAttachment, || {
                (format!("{}.attachments[{a}].{member}", path()), format!("This must be {must_be}."))
            });
        }
    }
}
