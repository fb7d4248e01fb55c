//! Spanish.

use super::{Direction, Labels, TimeLeft, Unit, concat, question_of};

pub(super) const LABELS: Labels = Labels {
    lang: "es",
    dir: Direction::LeftToRight,
    title: "Pregunta del agente",
    select_one: "Selecciona una opción",
    pick_one: "Toca una opción para enviarla",
    select_many: "Selecciona todas las que correspondan",
    other: "Otra",
    other_placeholder: "Tu respuesta",
    preview: |label| concat(&["Vista previa de ", label]),
    other_unsent: "Este texto no se enviará",
    chars_left: |left| {
        let verb = if left == 1 { "Queda " } else { "Quedan " };
        concat(&[verb, &characters(left)])
    },
    chars_over: |over| {
        let verb = if over == 1 { "Sobra " } else { "Sobran " };
        concat(&[verb, &characters(over)])
    },
    add_note: "Añadir una nota",
    note: "Nota",
    noted: |note| concat(&["Nota: ", note]),
    skip: "Omitir",
    skipping: "Esta pregunta se enviará sin respuesta",
    submit: "Enviar respuestas",
    send: "Enviar",
    submit_wait: "Falta por llegar el resto de la pregunta",
    cancel: "No responder",
    cancel_confirm: "¿Descartar tus respuestas?",
    keep_answering: "Seguir respondiendo",
    reply_in_chat: "Responder en el chat",
    composing: "Preparando una pregunta…",
    malformed: "La pregunta llegó dañada. Responde con tus propias palabras.",
    malformed_answer: "Tu respuesta",
    ready,
    nudge: "Primero selecciona una opción",
    error_select: |question| concat(&["Selecciona una respuesta: ", question]),
    error_other: "Escribe tu respuesta",
    error_too_long: |over| concat(&["Acorta el texto en ", &characters(over)]),
    step: |number| concat(&["Pregunta ", &number.to_string()]),
    back: "Atrás",
    onward: "Siguiente",
    progress: |answered, count| {
        let participle = if answered == 1 { " respondida" } else { " respondidas" };
        concat(&[&answered.to_string(), " de ", &count.to_string(), participle])
    },
    unanswered,
    time_left,
    more_time: "Más tiempo",
    sending: "Enviando tu respuesta",
    held: "Saldrá con tu próxima respuesta",
    change: "Cambiar",
    next_ask: "Ir a la siguiente pregunta",
    taken_back: "Tu respuesta no se envió. Puedes cambiarla.",
    try_again: "Reintentar",
    sent: "Respuesta enviada",
    failed: |reason| concat(&["No se envió tu respuesta. ", reason]),
    answered_elsewhere: "Respondida en otra pestaña",
    list: ", ",
    selected_prefix: "Seleccionado:",
    answered: "Respondida",
    cancelled: "Elegiste no responder",
    replied_in_chat: "Respondida en el chat",
    superseded: "Seguiste sin responderla",
    expired: "Se acabó el tiempo",
    interrupted: "Interrumpida",
    settled: "El agente siguió adelante",
    not_answered: "Sin contestar",
    show_all: "Mostrar todo",
    show_options: "Mostrar las opciones",
    skipped: "Omitida",
    no_answer: "Sin respuesta",
    late: "No enviado",
    copy: "Copiar",
    copied: "Copiado",
    copy_answers: "Copiar respuestas",
    copy_failed: "No se pudo copiar. Selecciona el texto.",
    copy_question: "P:",
    copy_answer: "R:",
    send_as_message: "Enviar como mensaje",
    not_now: "Aún no: el agente todavía escribe, u otra pregunta espera su respuesta.",
    dismiss: "Descartar",
    ask_again: "Preguntar de nuevo",
};

fn ready(count: usize, header: &str, question: &str, options: usize) -> String {
    let asked = question_of(header, question, ": ") + &choice(options);
    let number = count.to_string();
    match count {
        1 => concat(&["El agente hace una pregunta. ", &asked]),
        _ => concat(&["El agente hace ", &number, " preguntas. ", &asked]),
    }
}

fn choice(options: usize) -> String {
    match options {
        0 => String::new(),
        1 => " (1 opción)".to_owned(),
        _ => concat(&[" (", &options.to_string(), " opciones)"]),
    }
}

fn unanswered(open: usize, count: usize) -> String {
    let verb = if open == 1 { "Falta" } else { "Faltan" };
    let (open, all) = (open.to_string(), count.to_string());
    match count {
        1 => "Falta responder la pregunta".to_owned(),
        _ => concat(&[verb, " por responder ", &open, " de ", &all, " preguntas"]),
    }
}

fn characters(count: usize) -> String {
    let noun = if count == 1 { " carácter" } else { " caracteres" };
    concat(&[&count.to_string(), noun])
}

fn time_left(TimeLeft { count, unit }: TimeLeft) -> String {
    let (one, more) = match unit {
        Unit::Days => (" día", " días"),
        Unit::Hours => (" hora", " horas"),
        Unit::Minutes => (" minuto", " minutos"),
        Unit::Seconds => (" segundo", " segundos"),
    };
    let (verb, noun) = if count == 1 { ("Queda ", one) } else { ("Quedan ", more) };
    concat(&[verb, &count.to_string(), noun, " para responder"])
}
