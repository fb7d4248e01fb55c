//! Arabic, with its six plural forms.

use super::{Direction, Labels, TimeLeft, Unit, concat, question_of};

pub(super) const LABELS: Labels = Labels {
    lang: "ar",
    dir: Direction::RightToLeft,
    title: "سؤال من الوكيل",
    select_one: "اختر إجابة واحدة",
    pick_one: "انقر إجابة لإرسالها",
    select_many: "اختر كل ما ينطبق",
    other: "أخرى",
    other_placeholder: "اكتب إجابتك",
    preview: |label| concat(&["معاينة ", label]),
    other_unsent: "لن يُرسَل هذا النص",
    chars_left: |left| concat(&["المتبقي: ", &counted(left, &CHARACTERS)]),
    chars_over: |over| concat(&["الزائد: ", &counted(over, &CHARACTERS)]),
    add_note: "إضافة ملاحظة",
    note: "ملاحظة",
    noted: |note| concat(&["ملاحظة: ", note]),
    skip: "تخطي السؤال",
    skipping: "سيُرسَل هذا السؤال بلا إجابة",
    submit: "إرسال الإجابات",
    send: "إرسال",
    submit_wait: "في انتظار بقية السؤال",
    cancel: "عدم الإجابة",
    cancel_confirm: "تجاهل إجاباتك؟",
    keep_answering: "متابعة الإجابة",
    reply_in_chat: "الرد في المحادثة بدلًا من ذلك",
    composing: "يجري إعداد سؤال…",
    malformed: "وصل السؤال تالفًا. أجب بكلماتك الخاصة.",
    malformed_answer: "إجابتك",
    ready: |count, header, question, options| {
        let asked = question_of(header, question, ": ");
        let questions = counted(count, &QUESTIONS_ASKED);
        let choice = match options {
            0 => String::new(),
            _ => concat(&[" (", &counted(options, &OPTIONS), ")"]),
        };
        concat(&["يطرح الوكيل ", &questions, ". ", &asked, &choice])
    },
    nudge: "اختر إجابة أولًا",
    error_select: |question| concat(&["اختر إجابة: ", question]),
    error_other: "اكتب إجابتك",
    error_too_long: |over| concat(&["اختصر النص. الزائد: ", &counted(over, &CHARACTERS)]),
    step: |number| concat(&["السؤال ", &number.to_string()]),
    back: "السابق",
    onward: "التالي",
    progress: |answered, count| {
        concat(&["تمت الإجابة: ", &counted(answered, &QUESTIONS_OPEN), " من أصل ", &count.to_string()])
    },
    unanswered: |open, count| match count {
        1 => "بقي السؤال بلا إجابة".to_owned(),
        _ => {
            let questions = counted(open, &QUESTIONS_OPEN);
            concat(&["بقي بلا إجابة: ", &questions, " من أصل ", &count.to_string()])
        }
    },
    time_left,
    more_time: "مزيد من الوقت",
    sending: "جارٍ إرسال إجابتك",
    held: "ستُرسَل مع إجابتك التالية",
    change: "تغيير",
    next_ask: "إلى السؤال التالي",
    taken_back: "لم تُرسَل إجابتك. يمكنك تغييرها.",
    try_again: "إعادة المحاولة",
    sent: "أُرسلت الإجابة",
    failed: |reason| concat(&["لم تُرسَل إجابتك. ", reason]),
    answered_elsewhere: "تمت الإجابة في علامة تبويب أخرى",
    list: "، ",
    selected_prefix: "المختار:",
    answered: "تمت الإجابة",
    cancelled: "اخترت عدم الإجابة",
    replied_in_chat: "تم الرد في المحادثة",
    superseded: "تابعت من دونه",
    expired: "انتهت المهلة",
    interrupted: "انقطع",
    settled: "تابع الوكيل العمل",
    not_answered: "لم تتم الإجابة",
    show_all: "عرض الكل",
    show_options: "عرض الخيارات",
    skipped: "تم التخطي",
    no_answer: "بلا إجابة",
    late: "لم يُرسَل",
    copy: "نسخ",
    copied: "تم النسخ",
    copy_answers: "نسخ الإجابات",
    copy_failed: "تعذّر النسخ. حدّد النص بدلًا من ذلك.",
    copy_question: "س:",
    copy_answer: "ج:",
    send_as_message: "إرسال كرسالة",
    not_now: "ليس الآن: ما زال الوكيل يكتب، أو سؤال آخر ينتظر إجابته.",
    dismiss: "تجاهل",
    ask_again: "إعادة السؤال",
};

/// A noun for every number.
struct Noun {
    zero: &'static str,
    one: &'static str,
    two: &'static str,
    few: &'static str,
    many: &'static str,
    other: &'static str,
}

/// As an object.
const QUESTIONS_ASKED: Noun =
    Noun {
        zero: "صفر أسئلة", one: "سؤالًا واحدًا", two: "سؤالين", few: "أسئلة", many: "سؤالًا", other: "سؤال"
    };

/// By itself.
const QUESTIONS_OPEN: Noun = Noun { one: "سؤال واحد", two: "سؤالان", ..QUESTIONS_ASKED };

/// By itself.
const CHARACTERS: Noun =
    Noun {
        zero: "صفر أحرف", one: "حرف واحد", two: "حرفان", few: "أحرف", many: "حرفًا", other: "حرف"
    };

/// By itself.
const OPTIONS: Noun =
    Noun {
        zero: "صفر خيارات", one: "خيار واحد", two: "خياران", few: "خيارات", many: "خيارًا", other: "خيار"
    };

const DAYS: Noun = Noun {
    zero: "صفر أيام", one: "يوم واحد", two: "يومان", few: "أيام", many: "يومًا", other: "يوم"
};

const HOURS: Noun =
    Noun {
        zero: "صفر ساعات", one: "ساعة واحدة", two: "ساعتان", few: "ساعات", many: "ساعة", other: "ساعة"
    };

const MINUTES: Noun =
    Noun {
        zero: "صفر دقائق", one: "دقيقة واحدة", two: "دقيقتان", few: "دقائق", many: "دقيقة", other: "دقيقة"
    };

const SECONDS: Noun =
    Noun {
        zero: "صفر ثوانٍ", one: "ثانية واحدة", two: "ثانيتان", few: "ثوانٍ", many: "ثانية", other: "ثانية"
    };

fn time_left(TimeLeft { count, unit }: TimeLeft) -> String {
    let noun = match unit {
        Unit::Days => &DAYS,
        Unit::Hours => &HOURS,
        Unit::Minutes => &MINUTES,
        Unit::Seconds => &SECONDS,
    };
    concat(&["الوقت المتبقي للإجابة: ", &counted(count, noun)])
}

/// A number with its noun, by the plural rules of Unicode's CLDR. None, one and two are said by the noun alone.
fn counted(number: usize, noun: &Noun) -> String {
    let form = match (number, number % 100) {
        (0, _) => return noun.zero.to_owned(),
        (1, _) => return noun.one.to_owned(),
        (2, _) => return noun.two.to_owned(),
        (_, 3..=10) => noun.few,
        (_, 11..=99) => noun.many,
        _ => noun.other,
    };
    concat(&[&number.to_string(), " ", form])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_has_its_form() {
        let cases = [
            (0, "صفر أسئلة"),
            (1, "سؤال واحد"),
            (2, "سؤالان"),
            (3, "3 أسئلة"),
            (10, "10 أسئلة"),
            (11, "11 سؤالًا"),
            (99, "99 سؤالًا"),
            (100, "100 سؤال"),
            (102, "102 سؤال"),
            (103, "103 أسئلة"),
            (111, "111 سؤالًا"),
            (200, "200 سؤال"),
        ];
        for (number, expected) in cases {
            assert_eq!(counted(number, &QUESTIONS_OPEN), expected);
        }
    }
}
