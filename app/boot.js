// Makes the page's frame ready to be read and written in, and starts the program that Trunk has built, by the names that Trunk has
// written into the page. Until the program runs, what the person writes and sends is kept here. This is a file of its own, because
// the page's policy allows no inline script. The gallery is a program of its own, which is
// there where `cargo xtask serve --gallery` or the tests have put it.
const WORDS = {
  en: {
    title: "Front desk",
    subtitle: "Auto repair, by appointment",
    newConversation: "New conversation",
    settings: "Settings",
    welcome: "How can we help?",
    welcomeHint: "Say it in your own words, or start with one of these.",
    suggestions: ["I need my car looked at", "My brakes squeak", "I’d like an oil change"],
    suggestionsToAnyone: ["What can you do?", "Help me decide something", "Ask me what you need to know"],
    message: "Message",
    placeholder: "Write a message",
    send: "Send",
    loading: "Loading…",
    held: "Your message goes out as soon as the page is ready.",
    failure: "The page could not start. Please load it again.",
  },
  de: {
    title: "Empfang",
    subtitle: "Autowerkstatt, nach Vereinbarung",
    newConversation: "Neues Gespräch",
    settings: "Einstellungen",
    welcome: "Wie können wir helfen?",
    welcomeHint: "Sagen Sie es mit eigenen Worten, oder beginnen Sie hiermit.",
    suggestions: ["Mein Auto muss in die Werkstatt", "Meine Bremsen quietschen", "Ich möchte einen Ölwechsel"],
    suggestionsToAnyone: ["Was können Sie?", "Helfen Sie mir bei einer Entscheidung", "Fragen Sie mich, was Sie wissen müssen"],
    message: "Nachricht",
    placeholder: "Nachricht schreiben",
    send: "Senden",
    loading: "Wird geladen …",
    held: "Ihre Nachricht geht hinaus, sobald die Seite bereit ist.",
    failure: "Die Seite konnte nicht starten. Bitte laden Sie sie neu.",
  },
  ar: {
    title: "مكتب الاستقبال",
    subtitle: "صيانة السيارات، بموعد مسبق",
    newConversation: "محادثة جديدة",
    settings: "الإعدادات",
    welcome: "كيف يمكننا مساعدتك؟",
    welcomeHint: "اكتب ما تريد بكلماتك، أو ابدأ بإحدى هذه العبارات.",
    suggestions: ["أحتاج إلى فحص سيارتي", "المكابح تُصدر صريرًا", "أريد تغيير الزيت"],
    suggestionsToAnyone: ["ماذا يمكنك أن تفعل؟", "ساعدني في اتخاذ قرار", "اسألني عمّا تحتاج إلى معرفته"],
    message: "الرسالة",
    placeholder: "اكتب رسالة",
    send: "إرسال",
    loading: "جارٍ التحميل…",
    held: "تُرسَل رسالتك حالما تصبح الصفحة جاهزة.",
    failure: "تعذّر تشغيل الصفحة. يرجى إعادة تحميلها.",
  },
  ja: {
    title: "受付",
    subtitle: "自動車整備・予約制",
    newConversation: "新しい会話",
    settings: "設定",
    welcome: "ご用件をどうぞ",
    welcomeHint: "ご自由にお書きいただくか、次の例からお選びください。",
    suggestions: ["車を点検してほしい", "ブレーキから異音がする", "オイル交換をお願いしたい"],
    suggestionsToAnyone: ["何ができますか？", "決めるのを手伝ってほしい", "必要なことを質問してください"],
    message: "メッセージ",
    placeholder: "メッセージを入力",
    send: "送信",
    loading: "読み込み中…",
    held: "ページの準備ができ次第、メッセージを送信します。",
    failure: "ページを開始できませんでした。再読み込みしてください。",
  },
  es: {
    title: "Recepción",
    subtitle: "Taller mecánico, con cita previa",
    newConversation: "Nueva conversación",
    settings: "Ajustes",
    welcome: "¿En qué podemos ayudarte?",
    welcomeHint: "Dilo con tus propias palabras o empieza con una de estas frases.",
    suggestions: ["Necesito que revisen mi coche", "Me chirrían los frenos", "Quiero un cambio de aceite"],
    suggestionsToAnyone: ["¿Qué puedes hacer?", "Ayúdame a decidir algo", "Pregúntame lo que necesites saber"],
    message: "Mensaje",
    placeholder: "Escribe un mensaje",
    send: "Enviar",
    loading: "Cargando…",
    held: "Tu mensaje se enviará en cuanto la página esté lista.",
    failure: "La página no pudo iniciarse. Vuelve a cargarla.",
  },
};

const query = new URLSearchParams(location.search);
const storage = (name) => {
  try {
    return window[name];
  } catch {
    return undefined; // The browser keeps nothing for this page.
  }
};
const setting = (name) => query.get(name) ?? storage("localStorage")?.getItem(`chat-page ${name}`) ?? "";

const tags = [setting("lang"), ...navigator.languages].map((tag) => tag.split(/[-_]/)[0].toLowerCase());
const language = tags.find((tag) => Object.hasOwn(WORDS, tag)) ?? "en";
const words = WORDS[language];
const root = document.documentElement;
root.lang = language;
root.dir = language === "ar" ? "rtl" : "ltr";
const theme = setting("theme");
if (theme === "light" || theme === "dark") root.style.colorScheme = theme;

const the = (selector) => document.querySelector(`#shell ${selector}`);
const says = (selector, text) => the(selector).replaceChildren(text);
const isCalled = (selector, name) => the(selector).setAttribute("aria-label", name);
const [form, field] = [the("form"), the("textarea")];
const suggestions = document.querySelectorAll("#shell .suggestion");
const agent = setting("agent");
const inGallery = query.has("gallery");
const isNew = location.hash.length < 2 && !inGallery;

/** Names the agent, and what a newcomer may ask of it. */
const introduce = (name) => {
  says("h1", name || words.title);
  says("header p", name ? "" : words.subtitle);
  const texts = name ? words.suggestionsToAnyone : words.suggestions;
  suggestions.forEach((button, at) => button.replaceChildren(texts[at]));
};
introduce(agent && (agent.split("//").at(-1).split("/")[0] || agent));
isCalled(".new-button", words.newConversation);
isCalled(".settings-button", words.settings);
the(".new-button").href = location.pathname + location.search;
says("h2", words.welcome);
says(".welcome p", words.welcomeHint);
the(".welcome").hidden = !isNew;
says("label", words.message);
field.placeholder = words.placeholder;
isCalled("form button", words.send);
form.hidden = inGallery;
const tell = (text) => says("[role=status]", text);
tell(isNew ? "" : words.loading);

/** Gives the field the height and the direction of its text, or the height of its placeholder. */
const written = () => {
  field.parentElement.dataset.text = field.value || field.placeholder;
  field.dir = field.value ? "auto" : root.dir;
};
field.value = storage("sessionStorage")?.getItem("chat-page unsent") ?? "";
written();
// Where writing brings up no keyboard that covers half of the page.
if (matchMedia("(pointer: fine)").matches) field.focus({ preventScroll: true });

/** Marks what is written as sent: the program sends it. */
const hold = () => {
  if (!field.value.trim()) return;
  form.dataset.held = "";
  tell(words.held);
};
const early = new AbortController();
form.addEventListener("adopted", () => early.abort(), { once: true });
const on = (target, name, act) => target.addEventListener(name, act, { signal: early.signal });
on(form, "submit", (event) => {
  event.preventDefault();
  hold();
});
on(field, "keydown", (event) => {
  const byInputMethod = event.isComposing || event.keyCode === 229;
  if (event.key !== "Enter" || event.shiftKey || byInputMethod) return;
  event.preventDefault();
  hold();
});
on(field, "input", () => {
  written();
  if ("held" in form.dataset) tell("");
  delete form.dataset.held;
  storage("sessionStorage")?.setItem("chat-page unsent", field.value);
});
suggestions.forEach((button) => {
  on(button, "click", () => {
    field.value = button.textContent;
    written();
    hold();
  });
});

const { module, wasm } = inGallery
  ? { module: "./gallery/gallery.js" }
  : document.querySelector("meta[name=program]").dataset;
// What the operator says of the page's own agent. Where nothing is said, that is the front desk.
const introduced = inGallery || fetch("settings.json", { signal: AbortSignal.timeout(5000) })
  .then((settings) => settings.json())
  .then(({ name = "", profile = "" }) => {
    if (name && !agent) introduce(name);
    Object.assign(document.querySelector("#shell").dataset, { agent: name, profile });
  })
  .catch(() => {});
// The program speaks English; other languages are files beside it.
const learned = inGallery || language === "en" || fetch(`words/${language}.txt`, { signal: AbortSignal.timeout(5000) })
  .then((sheet) => sheet.ok && sheet.text())
  .then((text) => text && Object.assign(document.querySelector("#shell").dataset, { words: text }))
  .catch(() => {});
// Without a wait at the top: the first paint is that of the frame, which comes when this file is done.
Promise.all([import(module), introduced, learned])
  .then(([{ default: start }]) => start(wasm && { module_or_path: wasm }))
  .catch((problem) => {
    tell(inGallery ? "The gallery is not here. To see it: cargo xtask serve --gallery" : words.failure);
    throw problem;
  });
