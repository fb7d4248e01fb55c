// Hides the questions whose condition the answers do not meet, and disables their fields, so that they are not sent.
const form = document.querySelector("form");
const hide = () => {
  for (const part of form.querySelectorAll("[data-if]")) {
    // Conditions name earlier questions. The disabled fields of a hidden one are not in the form's data.
    const given = new FormData(form);
    const { if: name, is } = part.dataset;
    const own = given.getAll(`${name}_custom`).filter((text) => text.trim() !== "");
    // In a question with a single choice, a typed text replaces the choice.
    const isChoice = form.querySelector(`[name="${name}"][type="radio"]`) !== null;
    const said = isChoice && own.length > 0 ? own : [...given.getAll(name), ...own];
    part.hidden = part.disabled = !said.includes(is);
  }
};
form?.addEventListener("input", hide);
// Also when the user returns to this page, whose fields the browser restores.
addEventListener("pageshow", () => form && hide());
if (form) hide();

// Sends a chosen file at once, and adds a field that names it to the form. Returns the reason if the file is refused.
const upload = async (field, file) => {
  const { count, bytes, kept } = field.dataset;
  const others = [...new FormData(form).keys()].filter((name) => name.endsWith("_kept"));
  if (others.length >= count || file.size > bytes) return field.nextElementSibling.textContent;
  const about = ["name", "type"].filter((of) => file[of]).map((of) => `${of}=${encodeURIComponent(file[of])}`);
  const headers = { "content-type": "application/octet-stream" };
  const request = fetch(`${location.pathname}/files?${about.join("&")}`, { method: "POST", headers, body: file });
  const said = await request.then((response) => response.json()).catch(() => ({ message: "It could not be sent." }));
  if (said.url === undefined) return said.message;
  const box = Object.assign(document.createElement("input"), { type: "checkbox", name: kept, value: said.url, checked: true });
  const name = Object.assign(document.createElement("span"), { dir: "auto", textContent: said.name });
  const label = document.createElement("label");
  label.append(box, " ", name);
  field.parentElement.before(label);
};
form?.addEventListener("change", async ({ target: field }) => {
  if (field.type !== "file") return;
  const files = [...field.files];
  field.value = "";
  // Blocks the form while files are being sent.
  field.underway = (field.underway ?? 0) + 1;
  field.setCustomValidity("A file is on its way.");
  for (const file of files) {
    const problem = await upload(field, file);
    const alert = Object.assign(document.createElement("p"), { role: "alert", textContent: `${file.name}: ${problem}` });
    if (problem) field.parentElement.before(alert);
  }
  field.underway -= 1;
  if (field.underway === 0) field.setCustomValidity("");
});

// Reloads the page once its question has ended elsewhere. Its own answer leads to another page.
const isSent = () => "sent" in document.body.dataset;
addEventListener("submit", () => (document.body.dataset.sent = ""));
// Only the server sends 410. Other errors are temporary or a proxy's, and a reload would lose what was typed.
const isOver = async () => {
  const status = (await fetch(`${location.pathname}/open`).catch(() => null))?.status;
  if (status !== 204 && status !== 410) await new Promise((resolve) => setTimeout(resolve, 2000));
  return status === 410;
};
while (!isSent() && !(await isOver()));
if (!isSent()) location.reload();
