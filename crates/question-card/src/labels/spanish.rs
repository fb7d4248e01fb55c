//! Spanish.

use super::{Direction, Labels, TimeLeft, Unit, question_of};

pub(super) const LABELS: Labels = Labels {
    lang: "es",
    dir: Direction::LeftToRight,
    title: "Pregunta del agente",
    select_one: "Selecciona una opción",
    pick_one: "Toca una opción para enviarla",
    select_many: "Selecciona todas las que correspondan",
    other: "Otra respuesta",
    other_placeholder: "Tu respuesta",
    preview: |label| ["Vista previa de ", label].concat(),
    other_unsent: "Este texto no se enviará",
    chars_left: |left| {
        let verb = if left == 1 { "Queda " } else { "Quedan " };
        [verb, &characters(left)].concat()
    },
    chars_over: |over| {
        let verb = if over == 1 { "Sobra " } else { "Sobran " };
        [verb, &characters(over)].concat()
    },
    add_note: "Añadir una nota",
    note: "Nota",
    noted: |note| ["Nota: ", note].concat(),
    skip: "Omitir",
    skipping: "Esta pregunta se enviará sin respuesta",
    submit: "Enviar respuestas",
    send: "Enviar",
    submit_wait: "Falta por llegar el resto de la pregunta",
    cancel: "No responder",
    cancel_confirm: "¿Cancelar y descartar las respuestas?",
    keep_answering: "Seguir respondiendo",
    reply_in_chat: "Responder en el chat",
    composing: "Preparando una pregunta…",
    malformed: "La pregunta llegó dañada. Responde con tus propias palabras.",
    malformed_answer: "Tu respuesta",
    ready,
    nudge: "Primero selecciona una opción",
    error_select: |question| ["Selecciona una respuesta para ", question].concat(),
    error_other: "Escribe tu respuesta",
    error_too_long: |over| ["Acorta el texto en ", &characters(over)].concat(),
    step: |number| ["Pregunta ", &number.to_string()].concat(),
    back: "Atrás",
    onward: "Siguiente",
    progress: |answered, count| {
        let participle = if answered == 1 { " respondida" } else { " respondidas" };
        [&answered.to_string(), " de ", &count.to_string(), participle].concat()
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
    declined: "Pregunta cancelada",
    failed: |reason| ["No se envió tu respuesta. ", reason].concat(),
    answered_elsewhere: "Respondida en otra pestaña",
    list: ", ",
    selected_prefix: "Seleccionado:",
    answered: "Respondida",
    cancelled: "Cancelada",
    replied_in_chat: "Respondida en el chat",
    superseded: "Seguiste sin responderla",
    expired: "Se acabó el tiempo",
    interrupted: "Interrumpida",
    not_answered: "Sin contestar",
    show_all: "Mostrar todo",
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
};

fn ready(count: usize, header: &str, question: &str, options: usize) -> String {
    let asked = [question_of(header, question, ": "), choice(options)].concat();
    let number = count.to_string();
    match count {
        1 => ["El agente hace una pregunta. ", &asked].concat(),
        _ => ["El agente hace ", &number, " preguntas. ", &asked].concat(),
    }
}

fn choice(options: usize) -> String {
    match options {
        0 => String::new(),
        1 => " (1 opción)".to_owned(),
        _ => [" (", &options.to_string(), " opciones)"].concat(),
    }
}

fn unanswered(open: usize, count: usize) -> String {
    let verb = if open == 1 { "Falta" } else { "Faltan" };
    let (open, all) = (open.to_string(), count.to_string());
    match count {
        1 => "Falta responder la pregunta".to_owned(),
        _ => [verb, " por responder ", &open, " de ", &all, " preguntas"].concat(),
    }
}

fn characters(count: usize) -> String {
    let noun = if count == 1 { " carácter" } else { " caracteres" };
    [&count.to_string(), noun].concat()
}

fn time_left(TimeLeft { count, unit }: TimeLeft) -> String {
    let (one, more) = match unit {
        Unit::Days => (" día", " días"),
        Unit::Hours => (" hora", " horas"),
        Unit::Minutes => (" minuto", " minutos"),
        Unit::Seconds => (" segundo", " segundos"),
    };
    let (verb, noun) = if count == 1 { ("Queda ", one) } else { ("Quedan ", more) };
    [verb, &count.to_string(), noun, " para responder"].concat()
}
