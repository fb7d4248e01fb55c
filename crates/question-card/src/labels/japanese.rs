//! Japanese. Its nouns have no plural.

use super::{Direction, Labels, TimeLeft, Unit, question_of};

pub(super) const LABELS: Labels = Labels {
    lang: "ja",
    dir: Direction::LeftToRight,
    title: "エージェントからの質問",
    select_one: "1つ選択してください",
    select_many: "当てはまるものをすべて選択してください",
    other: "その他",
    other_placeholder: "回答を入力",
    preview: |label| [label, "のプレビュー"].concat(),
    other_unsent: "このテキストは送信されません",
    chars_left: |left| ["残り", &left.to_string(), "文字"].concat(),
    chars_over: |over| [&over.to_string(), "文字超過しています"].concat(),
    add_note: "メモを追加",
    note: "メモ",
    noted: |note| ["メモ：", note].concat(),
    skip: "スキップする",
    skipping: "この質問は回答なしで送信されます",
    submit: "回答を送信",
    send: "送信",
    submit_wait: "質問を受信しています",
    cancel: "質問をキャンセル",
    cancel_confirm: "回答を破棄してキャンセルしますか？",
    keep_answering: "回答を続ける",
    reply_in_chat: "代わりにチャットで返信",
    composing: "質問を準備しています…",
    malformed: "質問が壊れた状態で届きました。ご自分の言葉で回答してください。",
    malformed_answer: "回答",
    ready: |count, header, question| {
        let asked = question_of(header, question, "：");
        [
            "エージェントからの質問が",
            &count.to_string(),
            "件あります。",
            &asked,
        ]
        .concat()
    },
    nudge: "先に選択肢を選んでください",
    error_select: |question| [question, "の回答を選択してください"].concat(),
    error_other: "回答を入力してください",
    error_too_long: |over| ["テキストを", &over.to_string(), "文字短くしてください"].concat(),
    unanswered: |open, count| match count {
        1 => "質問が未回答です".to_owned(),
        _ => [
            &count.to_string(),
            "件中",
            &open.to_string(),
            "件の質問が未回答です",
        ]
        .concat(),
    },
    time_left,
    more_time: "時間を延長",
    sending: "回答を送信しています",
    held: "次の回答と一緒に送信されます",
    change: "変更",
    next_ask: "次の質問へ",
    taken_back: "回答は送信されていません。変更できます。",
    try_again: "再試行",
    sent: "回答を送信しました",
    declined: "質問をキャンセルしました",
    failed: |reason| ["回答を送信できませんでした。", reason].concat(),
    answered_elsewhere: "別のタブで回答済みです",
    list: "、",
    selected_prefix: "選択済み：",
    answered: "回答済み",
    cancelled: "キャンセル済み",
    replied_in_chat: "チャットで返信済み",
    superseded: "回答せずに先へ進みました",
    expired: "時間切れ",
    interrupted: "中断",
    not_answered: "未回答",
    skipped: "スキップ",
    no_answer: "回答なし",
    late: "未送信",
    copy: "コピー",
    copied: "コピーしました",
    copy_answers: "回答をコピー",
    copy_failed: "コピーできませんでした。テキストを選択してください。",
    copy_question: "Q:",
    copy_answer: "A:",
    send_as_message: "メッセージとして送信",
    not_now: "まだ送信できません。エージェントが入力中か、別の質問が回答を待っています。",
    dismiss: "破棄",
};

fn time_left(TimeLeft { count, unit }: TimeLeft) -> String {
    let unit = match unit {
        Unit::Days => "日",
        Unit::Hours => "時間",
        Unit::Minutes => "分",
        Unit::Seconds => "秒",
    };
    ["回答期限まであと", &count.to_string(), unit].concat()
}
