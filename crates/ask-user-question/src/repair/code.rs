use crate::codes::codes;

codes! {
    /// The kinds of repair, each with a stable code in `snake_case`.
    #[derive(PartialOrd, Ord)]
    #[non_exhaustive]
    RepairCode {
        /// The text of the arguments, or a string in them, breaks a rule of JSON.
        AlmostJson "almost_json",
        /// The arguments, questions or options were given as a JSON string.
        JsonString "json_string",
        /// The arguments were given within another object.
        Unwrapped "unwrapped",
        /// One question was given where the list of questions belongs.
        SingleQuestion "single_question",
        /// The list of questions was given without the object around it.
        BareQuestions "bare_questions",
        /// The questions were given as one plain text.
        PlainQuestion "plain_question",
        /// An option, or its label, was given as a plain text, number or flag.
        PlainOption "plain_option",
        /// The options were given as an object of labels and descriptions.
        OptionMap "option_map",
        /// The options were given as lines of one text.
        OptionLines "option_lines",
        /// A question of the type `yesno` was given without options.
        YesNo "yes_no",
        /// A field was given under another name, such as `choices` for `options` or `multiple` for `multiSelect`.
        RenamedField "renamed_field",
        /// A flag was given as a text such as "true" or "yes", or as 0 or 1.
        BooleanText "boolean_text",
        /// The model answered its own question.
        AnswersDropped "answers_dropped",
        /// The question has markup of the call in it.
        MarkupRemoved "markup_removed",
        /// The model gave an "Other" of its own; the card has one.
        OtherMerged "other_merged",
        /// White space around a text was removed.
        Trimmed "trimmed",
        /// An optional field without content (null, or a blank description) was removed.
        EmptyRemoved "empty_removed",
    }
}
