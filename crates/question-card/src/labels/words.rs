//! The words of a card: the name of each in a sheet, and its English text.

use crate::words;

words! {
    /// A word or sentence of the card's own. Texts of the model come into it [isolated](crate::isolate), so that their direction does not
    /// spill over.
    ///
    /// In a sheet its name is the same with a small letter first: `SelectOne` is `selectOne`.
    pub enum Word {
        /// Names the form if it has no other name.
        Title "title" [] "Question from the agent",
        /// Names the form if it is known which sub-agent, tool or server asks.
        TitleBy "titleBy" [name] "Question from {name}",
        /// Unfolds the agent's reason to ask.
        Why "why" [] "Why?",
        /// The hint under a question that takes one option.
        SelectOne "selectOne" [] "Select one",
        /// The hint if a tap on an option sends it.
        PickOne "pickOne" [] "Tap one to send it",
        /// The hint under a question that takes several.
        SelectMany "selectMany" [] "Select all that apply",
        /// The field that filters a long list of options.
        Filter "filter" [] "Filter the options",
        /// Beside the filter: the number of options that are shown.
        Matches "matches" [count all] "{count} of {all}",
        /// Beside the filter: the number of options that are chosen, shown or not.
        Chosen "chosen" [count] "{count} chosen",
        /// Chooses all options that are shown.
        All "all" [] "All",
        /// Chooses none of the options that are shown.
        Clear "none" [] "None",
        /// The label of the free-text row.
        Other "other" [] "Other",
        /// The badge of an option that the agent recommends.
        Recommended "recommended" [] "Recommended",
        /// Shown in the empty free-text field; never its name.
        OtherPlaceholder "otherPlaceholder" [] "Your own answer",
        /// Names the preview of an option, given its label.
        Preview "preview" [label] "Preview of {label}",
        /// Under a text that is on the screen but not part of the answer.
        OtherUnsent "otherUnsent" [] "This text will not be sent",
        /// The number of characters that may still be typed.
        CharsLeft "charsLeft" [count] one "{count} character left" other "{count} characters left",
        /// The number of characters that are too many.
        CharsOver "charsOver" [count] one "{count} character too many" other "{count} characters too many",
        /// Names the button that adds files to an answer.
        Attach "attach" [] "Add files",
        /// A small number of bytes.
        Bytes "bytes" [count] "{count} B",
        /// A number of 1,024 bytes.
        Kilobytes "kilobytes" [count] "{count} KB",
        /// A number of 1,048,576 bytes.
        Megabytes "megabytes" [count] "{count} MB",
        /// The limits of files, said before any is chosen.
        FileLimits "fileLimits" [count size types] one "One file of up to {size}: {types}" other "Up to {count} files of {size} each: {types}",
        /// Beside a file that is on its way.
        FileGoing "fileGoing" [] "Uploading…",
        /// Announced once a file is there.
        FileAdded "fileAdded" [name] "{name} is attached",
        /// Announced if a file could not be uploaded, with the host's reason.
        FileFailed "fileFailed" [name reason] "{name} was not uploaded. {reason}",
        /// Removes a file.
        FileRemove "fileRemove" [name] "Remove {name}",
        /// The error of more files than are allowed.
        FilesTooMany "filesTooMany" [count] one "Only one file can be added" other "At most {count} files can be added",
        /// The error of a file without bytes.
        FileEmpty "fileEmpty" [name] "{name} is empty",
        /// The error of a file with too many bytes.
        FileTooLarge "fileTooLarge" [name size] "{name} is too large. At most {size} are allowed.",
        /// The error of a file whose type is not allowed.
        FileWrongType "fileWrongType" [name types] "{name} is of another type. Allowed are: {types}",
        /// The error of an answer whose files are on their way.
        FilesGoing "filesGoing" [] "Wait until the files are uploaded, or remove them",
        /// The error of an answer with a file that could not be taken.
        ErrorFiles "errorFiles" [] "Try the file again, or remove it",
        /// Opens the field for a note beside the answer.
        AddNote "addNote" [] "Add a note",
        /// Names the field of a note.
        Note "note" [] "Note",
        /// A note that can only be read.
        Noted "noted" [note] "Note: {note}",
        /// Skips a question.
        Skip "skip" [] "Skip",
        /// Under a question that is skipped.
        Skipping "skipping" [] "This question will be sent without an answer",
        /// The main button, for the number of questions.
        Submit "submit" [count] one "Submit" other "Submit answers",
        /// The button beside the text field if a tap on an option answers.
        Send "send" [] "Send",
        /// The reason why the buttons are inert.
        SubmitWait "submitWait" [] "Waiting for the rest of the question",
        /// Declines the question.
        Cancel "cancel" [] "Don’t answer",
        /// The Cancel button, if answers would be lost.
        CancelConfirm "cancelConfirm" [count] one "Discard your answer?" other "Discard your answers?",
        /// Undoes the first press of Cancel.
        KeepAnswering "keepAnswering" [] "Keep answering",
        /// Hands the question to the host's composer.
        ReplyInChat "replyInChat" [] "Reply in chat instead",
        /// Shown before the first question starts.
        Composing "composing" [] "Preparing a question…",
        /// Shown if the arguments cannot be used.
        Malformed "malformed" [] "The question arrived damaged. Answer in your own words.",
        /// Names the text field if the arguments cannot be used.
        MalformedAnswer "malformedAnswer" [] "Your answer",
        /// Announced once the arguments are complete: the number of questions, and the first one.
        Ready "ready" [count question] one "The agent asks {count} question. {question}" other "The agent asks {count} questions. {question}",
        /// A question with its header, in what is announced.
        Asked "asked" [header question] "{header}: {question}",
        /// A question with the number of its options, in what is announced.
        Options "options" [count question] one "{question} ({count} option)" other "{question} ({count} options)",
        /// The hint after Enter, if there is nothing to confirm.
        Nudge "nudge" [] "Choose an option first",
        /// The error of a question without an answer.
        ErrorSelect "errorSelect" [] "Select an answer",
        /// The error of a free-text answer without text.
        ErrorOther "errorOther" [] "Enter your answer",
        /// The error of a text that is too long, by this number of characters.
        ErrorTooLong "errorTooLong" [count] one "Shorten your text by {count} character" other "Shorten your text by {count} characters",
        /// The hint of a ranking.
        Rank "rank" [] "Choose all in order, the first one first",
        /// Gives an option the place before its own.
        Up "up" [label] "Move {label} up",
        /// Gives an option the place after its own.
        Down "down" [label] "Move {label} down",
        /// The yes of a question that came without words for it.
        Yes "yes" [] "Yes",
        /// The no of a question that came without words for it.
        No "no" [] "No",
        /// Approves a call as the agent wrote it.
        Approve "approve" [] "Approve",
        /// Approves the call with other arguments.
        ApproveEdited "approveEdited" [] "Approve with changes",
        /// Rejects the call.
        Reject "reject" [] "Reject",
        /// Rejects the call with a reason, which the field beside it takes.
        RejectWith "rejectWith" [] "Reject with a reason",
        /// The error of a ranking that lacks options.
        ErrorRank "errorRank" [] "Choose all in order",
        /// The error of a text that is no number.
        ErrorNumber "errorNumber" [] "Enter a number",
        /// The error of a number that is not whole.
        ErrorWhole "errorWhole" [] "Enter a whole number",
        /// The error of a text that is no date.
        ErrorDate "errorDate" [] "Enter a date",
        /// The error of a text that is no date with a time.
        ErrorDateTime "errorDateTime" [] "Enter a date and a time",
        /// The error of a text that is no address for e-mail.
        ErrorEmail "errorEmail" [] "Enter an email address",
        /// The error of a text that is no URL.
        ErrorUrl "errorUrl" [] "Enter a web address, such as https://example.com",
        /// The error of a text that is no JSON.
        ErrorJson "errorJson" [] "Enter valid JSON",
        /// The error of JSON that has another form than is asked for.
        ErrorFit "errorFit" [] "This does not have the form that is needed",
        /// The error of a number or a date under the minimum.
        ErrorMin "errorMin" [limit] "Allowed from {limit}",
        /// The error of a number or a date over the maximum.
        ErrorMax "errorMax" [limit] "Allowed up to {limit}",
        /// The error of a number between two steps.
        ErrorStep "errorStep" [limit] "Allowed in steps of {limit}",
        /// Names a question without a header, by its number, if one is shown at a time.
        Step "step" [number] "Question {number}",
        /// Shows the question before.
        Back "back" [] "Back",
        /// Shows the question after.
        Onward "onward" [] "Next",
        /// The number of questions that have their answer.
        Progress "progress" [count all] "{count} of {all} answered",
        /// The number of several questions that still need an answer.
        Unanswered "unanswered" [count all] one "{count} of {all} questions still needs an answer" other "{count} of {all} questions still need an answer",
        /// A single question still needs an answer.
        UnansweredOnly "unansweredOnly" [] "The question still needs an answer",
        /// The time that is left to answer, from two days on.
        DaysLeft "daysLeft" [count] one "{count} day left to answer" other "{count} days left to answer",
        /// The time that is left to answer, from two hours on.
        HoursLeft "hoursLeft" [count] one "{count} hour left to answer" other "{count} hours left to answer",
        /// The time that is left to answer, from one minute on.
        MinutesLeft "minutesLeft" [count] one "{count} minute left to answer" other "{count} minutes left to answer",
        /// The time that is left to answer, in the last minute; announced.
        SecondsLeft "secondsLeft" [count] one "{count} second left to answer" other "{count} seconds left to answer",
        /// Asks for more time.
        MoreTime "moreTime" [] "More time",
        /// The reply is on its way.
        Sending "sending" [] "Sending your answer",
        /// The host holds the reply until another ask has its answer, too.
        Held "held" [] "Goes out with your next answer",
        /// Changes a held reply.
        Change "change" [] "Change",
        /// Leads from a held reply to the ask that still waits.
        NextAsk "nextAsk" [] "Go to the next question",
        /// Announced if the host returned a reply, which can be changed again.
        TakenBack "takenBack" [] "Your answer was not sent. You can change it.",
        /// Sends a failed reply again, if one tap answers.
        TryAgain "tryAgain" [] "Try again",
        /// The reply went through.
        Sent "sent" [] "Answer sent",
        /// The reply did not go through, with the host's reason.
        Failed "failed" [reason] "Your answer was not sent. {reason}",
        /// The ask was answered elsewhere while it was on the screen.
        AnsweredElsewhere "answeredElsewhere" [] "Answered elsewhere",
        /// Between the answers to one question in one line.
        List "list" [] ", ",
        /// Before a chosen answer, for those who do not see its mark.
        SelectedPrefix "selectedPrefix" [] "Selected:",
        /// A receipt's state: answered.
        Answered "answered" [] "Answered",
        /// A receipt's state: this person answered elsewhere.
        AnsweredBy "answeredBy" [person] "Answered by {person}",
        /// A receipt's state, followed by the way in which the answer came, such as `slack`.
        AnsweredThrough "answeredThrough" [answered way] "{answered} through {way}",
        /// A receipt's state, and announced: the user declined.
        Cancelled "cancelled" [] "You chose not to answer",
        /// A receipt's state: answered in the composer.
        RepliedInChat "repliedInChat" [] "Replied in chat",
        /// A receipt's state: the user went on with something else.
        Superseded "superseded" [] "You went on without it",
        /// A receipt's state: the agent no longer needs the answer.
        Withdrawn "withdrawn" [] "The agent withdrew this question",
        /// A receipt's state: the deadline passed.
        Expired "expired" [] "Time ran out",
        /// A receipt's state: the run or the connection broke off.
        Interrupted "interrupted" [] "Interrupted",
        /// A receipt's state: the agent went on, and the record has its words about the answer.
        Settled "settled" [] "The agent went on",
        /// The state of a record that can only be read, without an answer so far.
        NotAnswered "notAnswered" [] "Not answered",
        /// In a receipt, shows all of a long question.
        ShowAll "showAll" [] "Show all",
        /// In a receipt, shows the options.
        ShowOptions "showOptions" [] "Show the options",
        /// In a receipt, a question that the user skipped.
        Skipped "skipped" [] "Skipped",
        /// In a receipt, a question without an answer.
        NoAnswer "noAnswer" [] "No answer",
        /// Before choices and text that were never sent.
        Late "late" [] "Not sent",
        /// Undoes "Don't answer", as long as nothing was sent.
        Undo "undo" [] "Undo",
        /// Copies the late text.
        Copy "copy" [] "Copy",
        /// The text was copied.
        Copied "copied" [] "Copied",
        /// In the form of an answer that is changed: sends it.
        Update "update" [] "Update",
        /// In the form of an answer that is changed: leaves the answer as it is.
        KeepAnswer "keepAnswer" [] "Cancel",
        /// In a receipt, before an answer that was changed.
        ChangedFrom "changedFrom" [] "Changed from:",
        /// Copies all questions and answers of a receipt.
        CopyAnswers "copyAnswers" [count] one "Copy answer" other "Copy answers",
        /// The browser did not allow the copy.
        CopyFailed "copyFailed" [] "Copying did not work. Select the text instead.",
        /// Before a question in what is copied.
        CopyQuestion "copyQuestion" [] "Q:",
        /// Before an answer in what is copied.
        CopyAnswer "copyAnswer" [] "A:",
        /// Sends the late text as a message.
        SendAsMessage "sendAsMessage" [] "Send as a message",
        /// The host refused to send a message now.
        NotNow "notNow" [] "Not now: the agent is still writing, or another question waits for its answer.",
        /// Dismisses the late text.
        Dismiss "dismiss" [] "Dismiss",
        /// Sends an expired question back, as a message that begins with these words.
        AskAgain "askAgain" [] "Ask again",
    }
}
