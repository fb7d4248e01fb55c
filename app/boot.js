// Starts the program that Trunk has built, by the names that Trunk has written into the page, and until it runs gives the
// page the language and the colours that it will have. It is a file of its own, because the page's policy allows no inline
// script. The gallery is a program beside it, whose wasm its module finds by itself.
const WORDS = {
  en: ["Front desk", "Auto repair, by appointment", "Loading…", "The page could not start. Please load it again."],
  de: ["Empfang", "Autowerkstatt, nach Vereinbarung", "Wird geladen …", "Die Seite konnte nicht starten. Bitte laden Sie sie neu."],
  ar: ["مكتب الاستقبال", "صيانة السيارات، بموعد مسبق", "جارٍ التحميل…", "تعذّر تشغيل الصفحة. يرجى إعادة تحميلها."],
  ja: ["受付", "自動車整備・予約制", "読み込み中…", "ページを開始できませんでした。再読み込みしてください。"],
  es: ["Recepción", "Taller mecánico, con cita previa", "Cargando…", "La página no pudo iniciarse. Vuelva a cargarla."],
};

const setting = (name) => {
  try {
    return new URLSearchParams(location.search).get(name) ?? localStorage.getItem(`chat-page ${name}`);
  } catch {
    return null; // The browser keeps nothing for this page.
  }
};

const tags = [setting("lang") ?? "", ...navigator.languages].map((tag) => tag.split(/[-_]/)[0].toLowerCase());
const language = tags.find((tag) => Object.hasOwn(WORDS, tag)) ?? "en";
const root = document.documentElement;
root.lang = language;
root.dir = language === "ar" ? "rtl" : "ltr";
const theme = setting("theme");
if (theme === "light" || theme === "dark") root.style.colorScheme = theme;

const status = document.querySelector("#shell [role=status]");
const [title, subtitle, loading, failure] = WORDS[language];
document.querySelector("#shell h1").replaceChildren(title);
document.querySelector("#shell p").replaceChildren(subtitle);
status.replaceChildren(loading);

const inGallery = new URLSearchParams(location.search).has("gallery");
const { module, wasm } = inGallery
  ? { module: "./gallery/gallery.js" }
  : document.querySelector("meta[name=program]").dataset;
// Without a wait at the top: the first paint is that of the shell, which comes when this file is done.
import(module)
  .then(({ default: start }) => start(wasm && { module_or_path: wasm }))
  .catch((problem) => {
    status.replaceChildren(failure);
    throw problem;
  });
