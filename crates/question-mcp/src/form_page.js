// A question that is not asked after the answers before it is hidden, and its fields are not sent.
const form = document.querySelector("form");
const hide = () => {
  for (const part of form.querySelectorAll("[data-if]")) {
    // In the order of the questions: the fields of a hidden one give nothing.
    const given = new FormData(form);
    const { if: name, is } = part.dataset;
    const own = given.getAll(`${name}_custom`).filter((text) => text.trim() !== "");
    // A text of one's own takes the place of a single choice.
    const isChoice = form.querySelector(`[name="${name}"][type="radio"]`) !== null;
    const said = isChoice && own.length > 0 ? own : [...given.getAll(name), ...own];
    part.hidden = part.disabled = !said.includes(is);
  }
};
form?.addEventListener("input", hide);
// Also after a return to this page, for which browsers fill the fields in.
addEventListener("pageshow", () => form && hide());
if (form) hide();

// What is beyond the limits is said before it goes on its way.
form?.addEventListener("change", () => {
  const given = [...new FormData(form)].filter(([name, value]) => name.endsWith("_kept") || value.name);
  for (const field of form.querySelectorAll("[type=file]")) {
    const { count, bytes } = field.dataset;
    const fits = given.length <= count && [...field.files].every((file) => file.size <= bytes);
    field.setCustomValidity(fits || field.files.length === 0 ? "" : field.nextElementSibling.textContent);
  }
});

// The page is loaded again once its question is over elsewhere. An answer of its own leads to another page.
const isSent = () => "sent" in document.body.dataset;
addEventListener("submit", () => (document.body.dataset.sent = ""));
// Only the server says 410. Anything else is a server in trouble, or a proxy without one, and a reload would lose what was typed.
const isOver = async () => {
  const status = (await fetch(`${location.pathname}/open`).catch(() => null))?.status;
  if (status !== 204 && status !== 410) await new Promise((resolve) => setTimeout(resolve, 2000));
  return status === 410;
};
while (!isSent() && !(await isOver()));
if (!isSent()) location.reload();
